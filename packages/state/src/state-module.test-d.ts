import type { JsonObject } from "@agentscope-ts/message"
import { expectTypeOf, test } from "vitest"
import { StateModule } from "./index.ts"

test("a registered value has one type on the way out and in", () => {
  class Typed extends StateModule {
    level: "low" | "high" = "low"
    constructor() {
      super()
      this.registerState("level", {
        save: () => this.level,
        load: (level) => {
          expectTypeOf(level).toEqualTypeOf<"low" | "high">()
          this.level = level
        },
      })
      // @ts-expect-error a date is no JSON
      this.registerState("date", { save: () => new Date(), load: () => {} })
    }
  }
  const typed = new Typed()
  expectTypeOf(typed.stateDict()).toEqualTypeOf<JsonObject>()
  // @ts-expect-error only a module registers its state
  typed.registerState("x", { save: () => 1, load: () => {} })
  // @ts-expect-error it is abstract
  expectTypeOf(() => new StateModule()).toBeFunction()
})
