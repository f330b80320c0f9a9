import type { MediaBlock, Msg, Opaque, TextBlock, ThinkingBlock, ToolResultBlock } from "@agentscope-ts/message"
import type { FormatterOptions } from "@agentscope-ts/model"
import { MediaFormatter, objectIn, type PreparedMedia, toolResultText } from "@agentscope-ts/model/wire"
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

type Prepared = PreparedMedia<Part>

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

  protected override async formatAll(messages: readonly Msg[]): Promise<Content[]> {
    const contents: Content[] = []
    for (const content of await super.formatAll(messages)) {
      const last = contents.at(-1)
      // the results of a round are one content, however many messages brought them
      if (last && onlyResults(last) && onlyResults(content)) last.parts?.push(...(content.parts ?? []))
      else contents.push(content)
    }
    return contents
  }

  protected override wireOf({ role, content }: Msg, media: Prepared): readonly Content[] {
    const parts: Part[] = []
    const results: Part[] = []
    const shown: Part[][] = []
    let unsigned = this.#gemini3
    for (const block of content) {
      switch (block.type) {
        case "text":
          parts.push({ text: block.text, ...signatureOf(block.opaque) })
          break
        case "thinking":
          parts.push(...ownParts(block))
          break
        case "tool_use": {
          const { opaque, id, name, input } = block
          const signature = signatureOf(opaque) ?? (unsigned ? placeholder : undefined)
          unsigned = false
          const functionCall = { ...(this.#withIds && { id }), name, args: input }
          parts.push({ functionCall, ...signature })
          break
        }
        case "tool_result":
          this.#result(block, media, results, shown)
          break
        default: {
          const part = role !== "assistant" || block.type === "image" ? media.part(block) : undefined
          if (part) parts.push({ ...part, ...signatureOf(block.opaque) })
        }
      }
    }
    const user = [results, ...shown].map((list) => ({ role: "user", parts: list }))
    const own = { role: role === "assistant" ? "model" : "user", parts }
    return [...user, own].filter(({ parts: list }) => list.length > 0)
  }

  /** A result with its text, and with its media in it or after it. */
  #result(result: ToolResultBlock, media: Prepared, results: Part[], shown: Part[][]): void {
    const { id, name, state } = result
    const key = state === "success" ? "output" : "error"
    if (this.#gemini3) {
      const [parts, after] = mediaOf(result, media)
      const text = toolResultText({ ...result, output: result.output.filter(isText) }).text
      results.push({ functionResponse: { id, name, response: { [key]: text }, ...(parts.length > 0 && { parts }) } })
      if (after.length > 0) shown.push(after)
      return
    }
    const { text, media: named } = media.text(result)
    results.push({ functionResponse: { id, name, response: { [key]: text } } })
    const images = this.options.promoteToolResultImages ? named.filter(({ block }) => block.type === "image") : []
    if (images.length === 0) return
    shown.push([
      { text: `<system-info>The following are the image contents from the tool result of '${name}':` },
      ...images.flatMap(({ block, url }) => [
        { text: `\n- The image from '${url}': ` },
        ...[media.part(block)].filter((part) => part !== undefined),
      ]),
      { text: "</system-info>" },
    ])
  }
}

const isText = (block: TextBlock | MediaBlock): block is TextBlock => block.type === "text"

/** What Gemini 3 takes inside a result, and what it sees only after it. */
function mediaOf({ output }: ToolResultBlock, media: Prepared): readonly [inside: Part[], after: Part[]] {
  const inside: Part[] = []
  const after: Part[] = []
  for (const block of output) {
    const part = isText(block) ? undefined : media.part(block)
    if (part) (block.type === "image" || block.type === "file" ? inside : after).push(part)
  }
  return [inside, after]
}

const onlyResults = ({ parts = [] }: Content): boolean => parts.every((part) => part.functionResponse !== undefined)

function dataOf(opaque: Opaque | undefined): Record<string, unknown> | undefined {
  return opaque?.provider === "gemini" ? objectIn(opaque.data) : undefined
}

function signatureOf(opaque: Opaque | undefined): { readonly thoughtSignature: string } | undefined {
  const signature = dataOf(opaque)?.["thoughtSignature"]
  return typeof signature === "string" ? { thoughtSignature: signature } : undefined
}

/** Gemini's own: a part that is neither text nor a call of ours, or thinking that it signed. */
function ownParts({ thinking, opaque }: ThinkingBlock): readonly Part[] {
  const part = objectIn<Part>(dataOf(opaque)?.["part"])
  const signature = signatureOf(opaque)
  if (part) return [{ ...part, ...signature }]
  return signature ? [{ text: thinking, thought: true, ...signature }] : []
}
