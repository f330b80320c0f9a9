import { HistoryFormatter, withoutLimit } from "@agentscope-ts/model/wire"
import { mediaOf } from "./dialects.ts"
import { mediaForms } from "./media-part.ts"
import { OpenAIChatFormatter, type OpenAIFormatterOptions, textPart } from "./openai-chat-formatter.ts"
import type { OpenAIContentPart, OpenAIWireMessage } from "./wire-message.ts"

/**
 * Messages of several speakers for Chat Completions: what they say becomes one user message between `<history>` tags, run
 * by run, with the pictures and sounds after the text; tool calls and their results stay messages of their own.
 */
export class OpenAIMultiAgentFormatter extends HistoryFormatter<OpenAIWireMessage, OpenAIContentPart> {
  override readonly provider: string

  constructor(options: OpenAIFormatterOptions = {}) {
    const { provider = "openai" } = options
    const chat = new OpenAIChatFormatter(withoutLimit(options))
    const [kinds, media] = [mediaOf(provider), mediaForms(mediaOf(provider))]
    super({ chat, kinds, media, mediaLast: true, text: textPart }, options)
    this.provider = provider
  }

  protected override message(role: string, parts: readonly OpenAIContentPart[]): OpenAIWireMessage {
    const [part] = parts
    // DeepSeek takes what is said as a text, and no lists of them
    const asText = this.provider === "deepseek" && role === "user" && part?.type === "text"
    return { role, content: asText ? part.text : parts }
  }
}
