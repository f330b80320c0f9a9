import type { Msg } from "@agentscope-ts/message"
import type { FormatterOptions } from "@agentscope-ts/model"
import { type FunctionCall, functionCall, MediaFormatter, type PreparedMedia } from "@agentscope-ts/model/wire"
import { mediaOf } from "./dialects.ts"
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

/** Who wants the thinking that led to tool calls back with them, or at least lets the model see it; DeepSeek wants all. */
const wantThinking = ["dashscope", "deepseek", "gpustack", "moonshot", "ollama", "vllm", "zai"]

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

  constructor(options: OpenAIFormatterOptions = {}) {
    const { provider = "openai", promoteToolResultImages } = options
    super(mediaForms(mediaOf(provider), promoteToolResultImages), options)
    this.provider = provider
    this.#own = provider === "openai" || provider === "azure"
  }

  protected override get promotes(): boolean {
    return this.options.promoteToolResultImages === true
  }

  protected override wireOf(msg: Msg, media: Prepared): readonly OpenAIWireMessage[] {
    const wire: OpenAIWireMessage[] = []
    const promoted: OpenAIWireMessage[] = []
    const parts: OpenAIContentPart[] = []
    const calls: FunctionCall[] = []
    for (const block of msg.content) {
      if (block.type === "text") parts.push(textPart(block.text))
      else if (block.type === "tool_use") calls.push(functionCall(block))
      else if (block.type === "tool_result") {
        const [text, shown] = this.named(block, media, textPart)
        wire.push({ role: "tool", tool_call_id: block.id, content: text, name: block.name })
        if (shown.length > 0) promoted.push({ ...this.#head("user", "user"), content: shown })
      } else if (block.type !== "thinking") {
        const part = media.shown(block, msg)
        if (part) parts.push(part)
      }
    }
    wire.push(...promoted)
    const thinking = this.#thinking(msg, calls.length > 0)
    const details = reasoningDetailsOf(msg.content, this.provider)
    if (parts.length === 0 && calls.length === 0 && thinking === "" && !details) return wire
    const content = this.#content(parts)
    wire.push({
      ...this.#head(msg.role, msg.name),
      content: content === "" && calls.length > 0 ? null : content,
      ...(thinking !== "" && { reasoning_content: thinking }),
      ...(calls.length > 0 && { tool_calls: calls }),
      ...(details && { reasoning_details: details }),
    })
    return wire
  }

  #head(role: string, name: string): { role: string; name?: string } {
    if (!this.#own || name === "") return { role }
    // what OpenAI takes as a name: no blanks, none of <|\/>
    return { role, name: name.replace(/[\s<|\\/>]+/g, "_").slice(0, 64) }
  }

  #content(parts: readonly OpenAIContentPart[]): string | readonly OpenAIContentPart[] {
    if (parts.length > 0 && (this.#own || parts.some((part) => part.type !== "text"))) return parts
    return parts.map((part) => (part.type === "text" ? part.text : "")).join("\n")
  }

  /** What was thought, as a text, where it goes back. */
  #thinking({ content }: Msg, hasCalls: boolean): string {
    const isWanted = hasCalls ? wantThinking.includes(this.provider) : this.provider === "deepseek"
    const thoughts = isWanted ? content.filter((block) => block.type === "thinking") : []
    return thoughts.flatMap(({ thinking }) => (thinking === "" ? [] : [thinking])).join("\n")
  }
}
