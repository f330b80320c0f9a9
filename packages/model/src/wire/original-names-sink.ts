import type { ChatDelta, JsonObject } from "@agentscope-ts/message"
import { originalNames } from "../schema/object-schema.ts"
import { objectOf } from "../stream/partial-json.ts"
import type { CallEnd, CallSink } from "../stream/call-sink.ts"

/** The original names of a tool's properties by those that the provider was told; undefined where none differs. */
export type NamesOf = (tool: string) => ReadonlyMap<string, string> | undefined

interface Held {
  readonly index: number
  readonly id: string
  readonly names: ReadonlyMap<string, string>
  json: string
}

/**
 * A sink for tools whose properties were given other names (`objectSchema`): their arguments are held until they are whole,
 * and told under the original names. All else goes straight to `sink`.
 */
export function originalNamesSink(sink: CallSink, namesOf: NamesOf): CallSink {
  let held: Held[] = []
  const tell = ({ index, id, names, json }: Held): void => {
    const input = objectOf(json)
    const told = input ? JSON.stringify(originalNames(input, names)) : json
    if (told !== "") sink.emit({ type: "tool_use_delta", index, id, json: told })
  }
  const release = (isDone: (call: Held) => boolean): void => {
    const done = held.filter(isDone)
    held = held.filter((call) => !done.includes(call))
    for (const call of done) tell(call)
  }
  const emit = (delta: ChatDelta): void => {
    if (delta.type === "tool_use_delta" && held.length > 0) {
      const call = held.find(({ index }) => index === delta.index)
      if (call) return void (call.json += delta.json)
    }
    if (delta.type === "tool_use_start") {
      const names = namesOf(delta.name)
      // calls may come side by side: only what is whole can be told
      release(({ json }) => objectOf(json) !== undefined)
      if (names) held.push({ index: delta.index, id: delta.id, names, json: "" })
    }
    if (delta.type === "block_end" && delta.block.type === "tool_use") {
      held = held.filter(({ index }) => index !== delta.index)
      return sink.emit(renamedEnd(delta, delta.block, namesOf))
    }
    sink.emit(delta)
  }
  return {
    streaming: sink.streaming,
    begin: (head) => sink.begin(head),
    warn: (code, message) => sink.warn(code, message),
    emit,
    finish: (end: CallEnd) => {
      release(() => true)
      sink.finish(end)
    },
  }
}

function renamedEnd(
  delta: ChatDelta & { readonly type: "block_end" },
  block: Extract<typeof delta.block, { readonly type: "tool_use" }>,
  namesOf: NamesOf,
): ChatDelta {
  const names = namesOf(block.name)
  return names ? { ...delta, block: { ...block, input: originalNames<JsonObject>(block.input, names) } } : delta
}
