import type { ChatDelta, ToolUseBlock } from "@agentscope-ts/message"
import type { ChatContent } from "../chat-response.ts"
import { modelError } from "../errors/model-error.ts"
import { GrowingText } from "./growing-text.ts"
import { objectOf, partialJson } from "./partial-json.ts"

/** One block as it grows. */
interface Part {
  readonly type: ChatContent["type"]
  /** The index that the provider gave, and the place that the block has. */
  readonly index: number
  readonly at: number
  readonly id: string
  readonly name: string
  readonly text: GrowingText
  /** There once the block is closed. */
  block: ChatContent | undefined
  /** The length of the arguments that were last found incomplete. */
  tried: number
}

// A regular expression makes its subject flat in place: a rope of n deltas would hold about 50 bytes a delta for as long
// as the message lives.
const flattens = /\0/

/** Puts deltas together to blocks. Nothing is copied or parsed while a block grows. */
export class BlockAssembler {
  /** Called with each block that is closed, in order of closing. */
  onClose: ((at: number, block: ChatContent) => void) | undefined
  readonly #parts: Part[] = []
  #open: Part[] = []
  #last: Part | undefined

  /** Adds a delta and returns the place of its block in the content. */
  add(delta: ChatDelta): number {
    switch (delta.type) {
      case "text_delta": {
        const part = this.#growing("text", delta.index) ?? this.#start("text", delta.index)
        part.text.add(delta.text)
        return part.at
      }
      case "thinking_delta": {
        const part = this.#growing("thinking", delta.index) ?? this.#start("thinking", delta.index)
        part.text.add(delta.text)
        return part.at
      }
      case "tool_use_delta": {
        const part = this.#growing("tool_use", delta.index)
        if (part) {
          part.text.add(delta.json)
          return part.at
        }
        return this.#closedCall(delta)
      }
      case "tool_use_start":
        return this.#start("tool_use", delta.index, delta.id, delta.name).at
      case "block_end": {
        const block = delta.block
        const part = this.#growing(block.type, delta.index) ?? this.#start(block.type as Part["type"], delta.index)
        this.#close(part, block as ChatContent)
        return part.at
      }
    }
  }

  #growing(type: string, index: number): Part | undefined {
    const last = this.#last
    if (last !== undefined && last.index === index && last.type === type && last.block === undefined) return last
    const part = this.#open.findLast((part) => part.index === index && part.type === type)
    if (part) this.#last = part
    return part
  }

  #start(type: Part["type"], index: number, id = "", name = ""): Part {
    for (const part of this.#open.length === 0 ? [] : [...this.#open]) {
      if (part.type !== "tool_use") this.#close(part)
      else this.#closeIfComplete(part)
    }
    const part: Part = {
      type,
      index,
      at: this.#parts.length,
      id,
      name,
      text: new GrowingText(),
      block: undefined,
      tried: 0,
    }
    this.#parts.push(part)
    this.#open.push(part)
    this.#last = part
    return part
  }

  /** More arguments for a call whose arguments were complete already: only white space does no harm. */
  #closedCall(delta: ChatDelta & { readonly type: "tool_use_delta" }): number {
    const part = this.#parts.findLast((part) => part.index === delta.index && part.type === "tool_use")
    if (part === undefined || delta.json.trim() !== "") {
      const message = part
        ? `The arguments of tool call "${part.name}" (${part.id}) went on after they were complete.`
        : `Arguments came for tool call ${delta.index} (${delta.id}), which was never started: the provider must emit tool_use_start first.`
      throw modelError({ code: "malformed_response", message })
    }
    return part.at
  }

  #closeIfComplete(part: Part): void {
    if (part.text.length === part.tried) return
    part.tried = part.text.length
    const text = part.text.whole
    const input = /\}\s*$/.test(text) ? objectOf(text) : undefined
    if (input) this.#close(part, { type: "tool_use", id: part.id, name: part.name, input })
  }

  #close(part: Part, block: ChatContent = finished(part, false)): void {
    if (block.type === "text") flattens.test(block.text)
    else if (block.type === "thinking") flattens.test(block.thinking)
    part.block = block
    part.text.clear()
    this.#open = this.#open.filter((open) => open !== part)
    this.onClose?.(part.at, block)
  }

  /** Closes everything; `cut` says that the answer was cut off. Returns whether there are tool calls. */
  closeAll(cut: boolean): boolean {
    for (const part of this.#open.length === 0 ? [] : [...this.#open]) this.#close(part, finished(part, cut))
    return this.#parts.some((part) => part.type === "tool_use")
  }

  /** The blocks so far. `lazyInput` gives open tool calls an `input` that is worked out when it is read. */
  content(lazyInput = false): ChatContent[] {
    return this.#parts.map((part) => part.block ?? unfinished(part, lazyInput))
  }

  /** Everything so far as deltas, for a consumer that comes late. */
  replay(tell: (delta: ChatDelta) => void): void {
    for (const part of this.#parts) {
      const index = part.at
      const block = part.block ?? unfinished(part, false)
      if (block.type === "text" && block.text !== "") tell({ type: "text_delta", index, text: block.text })
      if (block.type === "thinking" && block.thinking !== "") {
        tell({ type: "thinking_delta", index, text: block.thinking })
      }
      if (block.type === "tool_use") {
        const { id, name, input, rawInput } = block
        tell({ type: "tool_use_start", index, id, name })
        const json = rawInput ?? JSON.stringify(input)
        if (json !== "") tell({ type: "tool_use_delta", index, id, json })
      }
      if (part.block) tell({ type: "block_end", index, block })
    }
  }
}

function finished(part: Part, cut: boolean): ChatContent {
  const { type, id, name } = part
  const text = part.text.whole
  if (type === "text") return { type, text }
  if (type === "thinking") return { type, thinking: text }
  // no arguments at all are an empty object; but where the answer was cut, they may only not have come yet
  const input = text.trim() === "" && !cut ? {} : objectOf(text)
  return input ? { type: "tool_use", id, name, input } : { type: "tool_use", id, name, input: {}, rawInput: text }
}

function unfinished({ type, id, name, text: { whole: text } }: Part, lazyInput: boolean): ChatContent {
  if (type === "text") return { type, text }
  if (type === "thinking") return { type, thinking: text }
  if (!lazyInput) return { type: "tool_use", id, name, input: {}, rawInput: text }
  const block: ToolUseBlock = {
    type: "tool_use",
    id,
    name,
    get input() {
      return partialJson(text)
    },
    rawInput: text,
  }
  return block
}
