import type { Msg, ToolResultBlock } from "@agentscope-ts/message"
import type { FormatterOptions } from "@agentscope-ts/model"
import {
  type FunctionCall,
  functionCall,
  MediaFormatter,
  type PreparedMedia,
  promotedParts,
} from "@agentscope-ts/model/wire"
import { mediaForms } from "./media-part.ts"
import { reasoningDetailsOf } from "./reasoning-details.ts"
import type { OpenAIContentPart, OpenAIWireMessage } from "./wire-message.ts"

/** Options of the OpenAI formatters. */
export interface OpenAIFormatterOptions extends FormatterOptions {
  /**
   * Who serves the model; default `openai`. Other endpoints get texts as strings and no names of speakers, which not all
   * of them take, and their own opaque data back.
   */
  provider?: string | undefined
}

/** Who wants the thinking that led to tool calls back with them, or at least lets the model see it. */
const wantThinking = ["dashscope", "gpustack", "moonshot", "ollama", "vllm", "zai"]

type Prepared = PreparedMedia<OpenAIContentPart>

/** Text as a part. */
export const textPart = (text: string): OpenAIContentPart => ({ type: "text", text })

/**
 * Messages for Chat Completions, each as its own. Thinking stays behind, but for endpoints that want it back with tool calls;
 * media of assistant messages do too.
 */
export class OpenAIChatFormatter extends MediaFormatter<OpenAIWireMessage, OpenAIContentPart> {
  override readonly provider: string
  /** Whether messages look as OpenAI itself has them. */
  readonly #own: boolean
  // the name that was looked at last: mostly it is the same again
  #speaker = ""
  #plainSpeaker = ""

  constructor(options: OpenAIFormatterOptions = {}) {
    super(mediaForms(options.promoteToolResultImages), options)
    this.provider = options.provider ?? "openai"
    this.#own = this.provider === "openai" || this.provider === "azure"
  }

  protected override wireOf(msg: Msg, media: Prepared): readonly OpenAIWireMessage[] {
    const wire: OpenAIWireMessage[] = []
    const parts: OpenAIContentPart[] = []
    const calls: FunctionCall[] = []
    for (const block of msg.content) {
      if (block.type === "text") parts.push(textPart(block.text))
      else if (block.type === "tool_use") calls.push(functionCall(block))
      else if (block.type === "tool_result") wire.push(...this.#result(block, media))
      else if (block.type !== "thinking" && msg.role !== "assistant") {
        const part = media.part(block)
        if (part) parts.push(part)
      }
    }
    const thinking = calls.length > 0 && wantThinking.includes(this.provider) ? thinkingOf(msg) : ""
    const details = reasoningDetailsOf(msg.content, this.provider)
    if (parts.length === 0 && calls.length === 0 && !details) return wire
    const content = parts.length > 0 ? this.#content(parts) : calls.length > 0 ? null : ""
    wire.push({
      ...this.#head(msg.role, msg.name),
      content,
      ...(thinking !== "" && { reasoning_content: thinking }),
      ...(calls.length > 0 && { tool_calls: calls }),
      ...(details && { reasoning_details: details }),
    })
    return wire
  }

  #head(role: string, name: string): { role: string; name?: string } {
    if (!this.#own) return { role }
    if (name !== this.#speaker) {
      this.#speaker = name
      // what OpenAI takes as a name: no blanks, none of <|\/>
      this.#plainSpeaker = name.replace(/[\s<|\\/>]+/g, "_").slice(0, 64)
    }
    const plain = this.#plainSpeaker
    return plain === "" ? { role } : { role, name: plain }
  }

  #content(parts: readonly OpenAIContentPart[]): string | readonly OpenAIContentPart[] {
    if (this.#own || parts.some((part) => part.type !== "text")) return parts
    return parts.map((part) => (part.type === "text" ? part.text : "")).join("\n")
  }

  #result(result: ToolResultBlock, media: Prepared): readonly OpenAIWireMessage[] {
    const { text, media: named } = media.text(result)
    const message = toolMessage(result, text)
    const images = this.options.promoteToolResultImages ? named.filter(({ block }) => block.type === "image") : []
    const content = promotedParts(result, images, { text: textPart, part: ({ block }) => media.part(block) })
    return content.length === 0 ? [message] : [message, { ...this.#head("user", "user"), content }]
  }
}

/** What was thought, as a text. */
export function thinkingOf({ content }: Msg): string {
  return content
    .flatMap((block) => (block.type === "thinking" && block.thinking !== "" ? [block.thinking] : []))
    .join("\n")
}

/** A tool's answer. */
export function toolMessage({ id, name }: ToolResultBlock, content: string): OpenAIWireMessage {
  return { role: "tool", tool_call_id: id, content, name }
}
