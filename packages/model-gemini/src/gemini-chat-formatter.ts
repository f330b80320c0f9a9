import type { BlockType, Msg, Opaque, ThinkingBlock, ToolResultBlock } from "@agentscope-ts/message"
import type { FormatterOptions } from "@agentscope-ts/model"
import {
  joinedTurns,
  MediaFormatter,
  objectIn,
  ownData,
  type PreparedMedia,
  textIn,
  toolResultText,
} from "@agentscope-ts/model/wire"
import type { Content, Part } from "@google/genai"
import { isGemini3 } from "./gemini-dialect.ts"
import { mediaForms } from "./media-part.ts"

/** Options of the Gemini formatters. */
export interface GeminiFormatterOptions extends FormatterOptions {
  /**
   * The model that the messages are for. Gemini 3 takes media inside tool results, and wants a signature on calls: those
   * of other models get the placeholder that Google names for them. Without a model it is an older one, and calls go
   * without their ids, as in AgentScope for Python.
   */
  model?: string | undefined
}

/** https://ai.google.dev/gemini-api/docs/thought-signatures: for calls that Gemini did not make. */
const placeholder = { thoughtSignature: "skip_thought_signature_validator" }

/** Messages as Gemini's `contents`. Thinking goes back only where Gemini signed it. */
export class GeminiChatFormatter extends MediaFormatter<Content, Part> {
  override readonly provider = "gemini"
  readonly #gemini3: boolean
  readonly #withIds: boolean

  constructor(options: GeminiFormatterOptions = {}) {
    const gemini3 = isGemini3(options.model ?? "")
    super(mediaForms(gemini3, options.promoteToolResultImages), options)
    this.#gemini3 = gemini3
    this.#withIds = options.model !== undefined
  }

  /**
   * A model's call has to follow a user's turn, so what the model said right before goes with it; and the results of a round
   * are one content, however many messages brought them.
   */
  override turns(messages: readonly Msg[]): readonly Msg[] {
    return joinedTurns(messages, (before, run) => {
      if (before.role === "assistant" && run[0]?.role === "assistant") return has(run, "tool_use")
      return before.content.every(({ type }) => type === "tool_result") && has(run.slice(0, 1), "tool_result")
    })
  }

  protected override wireOf({ role, content }: Msg, media: PreparedMedia<Part>): readonly Content[] {
    const parts: Part[] = []
    const results: Part[] = []
    const shown: (readonly Part[])[] = []
    let unsigned = this.#gemini3
    for (const block of content) {
      if (block.type === "text") parts.push({ text: block.text, ...signatureOf(block.opaque) })
      else if (block.type === "thinking") parts.push(...ownParts(block))
      else if (block.type === "tool_use") {
        const { opaque, id, name, input } = block
        const functionCall = { ...(this.#withIds && { id }), name, args: input }
        parts.push({ functionCall, ...(signatureOf(opaque) ?? (unsigned ? placeholder : undefined)) })
        unsigned = false
      } else if (block.type === "tool_result") {
        const [part, after] = this.#result(block, media)
        results.push(part)
        shown.push(after)
      } else {
        const part = role !== "assistant" || block.type === "image" ? media.part(block) : undefined
        if (part) parts.push({ ...part, ...signatureOf(block.opaque) })
      }
    }
    const user = [results, ...shown].map((list) => ({ role: "user", parts: [...list] }))
    const own = { role: role === "assistant" ? "model" : "user", parts }
    return [...user, own].filter(({ parts: list }) => list.length > 0)
  }

  /** A result, and what is shown after it: Gemini 3 takes pictures and files inside, others a text that names them. */
  #result(result: ToolResultBlock, media: PreparedMedia<Part>): readonly [result: Part, after: readonly Part[]] {
    const { id, name, state, output } = result
    const said = (text: string) => ({ id, name, response: { [state === "success" ? "output" : "error"]: text } })
    if (!this.#gemini3) {
      const [text, after] = this.named(result, media, (line) => ({ text: line }))
      return [{ functionResponse: said(text) }, after]
    }
    const parts: Part[] = []
    const after: Part[] = []
    for (const block of output) {
      const part = block.type === "text" ? undefined : media.part(block)
      if (part) (block.type === "image" || block.type === "file" ? parts : after).push(part)
    }
    const { text } = toolResultText({ ...result, output: output.filter(({ type }) => type === "text") })
    return [{ functionResponse: { ...said(text), ...(parts.length > 0 && { parts }) } }, after]
  }
}

function has(messages: readonly Msg[], type: BlockType): boolean {
  return messages.some(({ content }) => content.some((block) => block.type === type))
}

function signatureOf(opaque: Opaque | undefined): { readonly thoughtSignature: string } | undefined {
  const signature = textIn(ownData(opaque, "gemini")?.["thoughtSignature"])
  return signature === "" ? undefined : { thoughtSignature: signature }
}

/** Gemini's own: a part that is neither text nor a call of ours, or thinking that it signed. */
function ownParts({ thinking, opaque }: ThinkingBlock): readonly Part[] {
  const part = objectIn<Part>(ownData(opaque, "gemini")?.["part"])
  const signature = signatureOf(opaque)
  if (part) return [{ ...part, ...signature }]
  return signature ? [{ text: thinking, thought: true, ...signature }] : []
}
