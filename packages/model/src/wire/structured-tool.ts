import type { ChatDelta, JsonSchema, JsonValue } from "@agentscope-ts/message"
import type { ToolSchema } from "../chat-request.ts"
import type { CallEnd, CallHead, CallSink } from "../stream/call-sink.ts"
import { UnwrappedText } from "./unwrapped-text.ts"

// says in the tool's name that the answer is in its argument "value"
const wrappedSuffix = "_value"

/**
 * A tool whose arguments are the answer, for providers that have no structured output of their own. Its name is none of
 * the other `tools`. A schema whose root cannot be a tool's (a list, a text, a union) stands in the argument `value`;
 * {@link structuredSink} takes it out again.
 */
export function structuredTool(schema: JsonSchema, tools: readonly ToolSchema[] = []): ToolSchema {
  const wrapped = !hasObjectRoot(schema)
  const suffix = wrapped ? wrappedSuffix : ""
  let name = `final_answer${suffix}`
  for (let n = 2; tools.some((tool) => tool.name === name); n++) name = `final_answer_${n}${suffix}`
  const where = wrapped ? "the whole answer as its argument `value`" : "the whole answer as its arguments"
  return {
    name,
    description: `Gives the final answer. Call it once, with ${where}; nothing else counts as the answer.`,
    parameters: wrapped ? inValue(schema) : schema,
  }
}

/** Whether a schema says that its values are objects, plainly at its root. */
export const hasObjectRoot = (schema: JsonSchema): boolean =>
  (schema.type === "object" || (schema.type === undefined && schema.properties !== undefined)) &&
  ["anyOf", "oneOf", "allOf", "$ref"].every((key) => schema[key] === undefined)

/** The schema as that of an object's property `value`, with its definitions where references look for them. */
export function inValue({ $defs, definitions, $schema, ...rest }: JsonSchema): JsonSchema {
  return {
    ...($schema !== undefined && { $schema }),
    type: "object",
    properties: { value: moved(rest) as JsonSchema },
    required: ["value"],
    ...($defs !== undefined && { $defs: moved($defs) }),
    ...(definitions !== undefined && { definitions: moved(definitions) }),
  }
}

/** With references that follow the root to its new place. */
function moved(part: unknown): unknown {
  if (typeof part !== "object" || part === null) return part
  if (Array.isArray(part)) return part.map(moved)
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => [key, key === "$ref" ? movedRef(value) : moved(value)]),
  )
}

function movedRef(ref: unknown): unknown {
  if (typeof ref !== "string" || !/^#(?:$|\/(?!\$defs\/|definitions\/))/.test(ref)) return moved(ref)
  return `#/properties/value${ref.slice(1)}`
}

/**
 * A sink for an answer that comes as the arguments of the tool `toolName` ({@link structuredTool}): they become a text
 * block, as if the model had written them, and the stop reason `tool_use` becomes `stop`. All else passes through.
 */
export function structuredSink(sink: CallSink, toolName: string): CallSink {
  return new StructuredSink(sink, toolName)
}

class StructuredSink implements CallSink {
  readonly streaming: boolean
  readonly #sink: CallSink
  readonly #toolName: string
  /** The index of the answer's call while it is open. */
  #open: number | undefined
  /** The index of the answer's text. */
  #at = 0
  /** The answer's arguments; a second call of the tool is not heard. */
  #text: UnwrappedText | undefined
  #second = false

  constructor(sink: CallSink, toolName: string) {
    this.streaming = sink.streaming
    this.#sink = sink
    this.#toolName = toolName
  }

  begin(head: CallHead): void {
    this.#sink.begin(head)
  }

  warn(code: string, message: string): void {
    this.#sink.warn(code, message)
  }

  emit(delta: ChatDelta): void {
    switch (delta.type) {
      case "tool_use_start":
        if (delta.name === this.#toolName) return this.#start(delta.index)
        if (delta.index === this.#open) this.#open = undefined
        break
      case "tool_use_delta":
        if (delta.index === this.#open) return this.#add(delta.index, delta.json)
        break
      case "block_end":
        if (delta.block.type === "tool_use" && delta.block.name === this.#toolName) {
          return this.#whole(delta.index, delta.block.input)
        }
    }
    this.#sink.emit(delta)
  }

  #start(index: number): void {
    this.#open = index
    if (this.#text === undefined) this.#at = index
    this.#second = this.#text !== undefined
    this.#text ??= new UnwrappedText(this.#toolName.endsWith(wrappedSuffix))
  }

  #add(index: number, json: string): void {
    const text = this.#second ? "" : (this.#text?.push(json) ?? "")
    if (text !== "") this.#sink.emit({ type: "text_delta", index, text })
  }

  /** The call as a whole: news only where its arguments have not come in pieces. */
  #whole(index: number, input: JsonValue): void {
    if (this.#open !== index) this.#start(index)
    if (this.#text?.given === "") this.#add(index, JSON.stringify(input))
    this.#flush()
    this.#open = undefined
  }

  #flush(): void {
    const text = this.#text?.rest() ?? ""
    if (text !== "") this.#sink.emit({ type: "text_delta", index: this.#at, text })
  }

  finish(end: CallEnd): void {
    const text = this.#text
    if (text === undefined) return this.#sink.finish(end)
    this.#flush()
    this.#sink.finish({
      ...end,
      stopReason: end.stopReason === "tool_use" ? "stop" : end.stopReason,
      structured: end.structured ?? text.value(),
    })
  }
}
