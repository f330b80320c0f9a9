import type { Msg } from "@agentscope-ts/message"
import type { FormatterOptions } from "@agentscope-ts/model"
import { functionCall, type MessageSaid, ToolRoleFormatter } from "@agentscope-ts/model/wire"
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

/** Text as a part. */
export const textPart = (text: string): OpenAIContentPart => ({ type: "text", text })

/**
 * Messages for Chat Completions, each as its own. Thinking stays behind, but for endpoints that want it back with tool calls;
 * media of assistant messages do too.
 */
export class OpenAIChatFormatter extends ToolRoleFormatter<OpenAIWireMessage, OpenAIContentPart> {
  override readonly provider: string
  /** Whether messages look as OpenAI itself has them. */
  readonly #own: boolean

  constructor(options: OpenAIFormatterOptions = {}) {
    const { provider = "openai", promoteToolResultImages } = options
    super(mediaForms(mediaOf(provider), promoteToolResultImages), options)
    this.provider = provider
    this.#own = provider === "openai" || provider === "azure"
  }

  protected override text = textPart

  protected override message(role: string, content: readonly OpenAIContentPart[]): OpenAIWireMessage {
    return { ...this.#head(role, role), content }
  }

  protected override said(msg: Msg, { parts, calls, thinking }: MessageSaid<OpenAIContentPart>) {
    const hasCalls = calls.length > 0
    const isWanted = hasCalls ? wantThinking.includes(this.provider) : this.provider === "deepseek"
    const reasoning = isWanted ? thinking : ""
    const details = reasoningDetailsOf(msg.content, this.provider)
    if (parts.length === 0 && !hasCalls && reasoning === "" && !details) return undefined
    const content = this.#content(parts)
    return {
      ...this.#head(msg.role, msg.name),
      content: content === "" && hasCalls ? null : content,
      ...(reasoning !== "" && { reasoning_content: reasoning }),
      ...(hasCalls && { tool_calls: calls.map(functionCall) }),
      ...(details && { reasoning_details: details }),
    }
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
}
