import { HistoryFormatter } from "@agentscope-ts/model/wire"
import { AnthropicChatFormatter, type AnthropicFormatterOptions } from "./anthropic-chat-formatter.ts"
import { mediaForms } from "./media-block.ts"
import { type AnthropicBlock, type AnthropicWireMessage, cited, textBlock } from "./wire-message.ts"

/**
 * Messages of several speakers for the Messages API: what they say becomes one user message between `<history>` tags, run
 * by run, with pictures and documents where they were shown; tool calls and their results stay messages of their own.
 */
export class AnthropicMultiAgentFormatter extends HistoryFormatter<AnthropicWireMessage, AnthropicBlock> {
  override readonly provider = "anthropic"
  readonly #citations: boolean

  constructor(options: AnthropicFormatterOptions = {}) {
    const { maxTokens: _, tokenCounter: __, ...rest } = options
    super(
      { chat: new AnthropicChatFormatter(rest), media: mediaForms(options.saveMedia), kinds: ["image", "file"] },
      options,
    )
    this.#citations = options.citations === true
  }

  protected override system(text: string): AnthropicWireMessage {
    return { role: "system", content: [textBlock(text)] }
  }

  protected override talk(parts: readonly (string | AnthropicBlock)[]): AnthropicWireMessage {
    const content = parts.map((part) => (typeof part === "string" ? textBlock(part) : part))
    return this.#citations ? cited({ role: "user", content }) : { role: "user", content }
  }
}
