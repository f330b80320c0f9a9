import type { JsonValue } from "@agentscope-ts/message"
import { StateModule } from "@agentscope-ts/state"

/** A module that holds one value, and takes none but of the kind that it has. */
export class Probe extends StateModule {
  value: JsonValue

  constructor(value: JsonValue) {
    super()
    this.value = value
    this.registerState<JsonValue>("value", {
      save: () => this.value,
      load: (loaded) => {
        if (typeof loaded !== typeof this.value) throw new TypeError(`a ${typeof loaded} does not fit`)
        this.value = loaded
      },
    })
  }
}
