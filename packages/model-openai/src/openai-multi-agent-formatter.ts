import type { Msg } from "@agentscope-ts/message"
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
    super({ chat, kinds: mediaOf(provider), media: mediaForms(mediaOf(provider)), mediaLast: true }, options)
    this.provider = provider
  }

  /** Its texts stay apart. */
  protected override system(_: string, { content }: Msg): OpenAIWireMessage {
    return {
      role: "system",
      content: content.flatMap((block) => (block.type === "text" ? [textPart(block.text)] : [])),
    }
  }

  protected override talk(parts: readonly (string | OpenAIContentPart)[]): OpenAIWireMessage {
    const [text] = parts
    // DeepSeek takes texts, and no lists of them
    if (this.provider === "deepseek" && typeof text === "string") return { role: "user", content: text }
    return { role: "user", content: parts.map((part) => (typeof part === "string" ? textPart(part) : part)) }
  }
}
