import type { Msg } from "@agentscope-ts/message"
import { Formatter } from "@agentscope-ts/model"
import { conversationHistoryPrompt, historyGroups, historyParts, PreparedMedia } from "@agentscope-ts/model/wire"
import { AnthropicChatFormatter, type AnthropicFormatterOptions } from "./anthropic-chat-formatter.ts"
import { mediaForms } from "./media-block.ts"
import type { AnthropicBlock, AnthropicWireMessage } from "./wire-message.ts"

/**
 * Messages of several speakers for the Messages API: what they say becomes one user message between `<history>` tags, run
 * by run, with pictures and documents where they were shown; tool calls and their results stay messages of their own.
 */
export class AnthropicMultiAgentFormatter extends Formatter<AnthropicWireMessage> {
  override readonly provider = "anthropic"
  readonly #given: AnthropicFormatterOptions
  readonly #chat: AnthropicChatFormatter

  constructor(options: AnthropicFormatterOptions = {}) {
    super(options)
    this.#given = options
    const { maxTokens: _, tokenCounter: __, ...rest } = options
    this.#chat = new AnthropicChatFormatter(rest)
  }

  /** The same formatter for answers that cite. */
  citing(): AnthropicMultiAgentFormatter {
    return new AnthropicMultiAgentFormatter({ ...this.#given, citations: true })
  }

  protected override async formatAll(messages: readonly Msg[]): Promise<AnthropicWireMessage[]> {
    const wire: AnthropicWireMessage[] = []
    for (const { type, messages: group, first } of historyGroups(messages)) {
      wire.push(...(await (type === "talk" ? this.#talk(group, first) : this.#chat.format(group))))
    }
    return wire
  }

  async #talk(messages: readonly Msg[], first: boolean): Promise<readonly AnthropicWireMessage[]> {
    const { citations, saveMedia, conversationHistoryPrompt: own = conversationHistoryPrompt } = this.#given
    const parts = historyParts(messages, { prompt: first ? own : "", media: ["image", "file"] })
    const shown = parts.filter((part) => typeof part !== "string")
    const all: Msg = { ...(messages[0] as Msg), role: "user", content: shown }
    const media = await PreparedMedia.of(all, mediaForms(citations, saveMedia), saveMedia)
    const content = parts.map((part) =>
      typeof part === "string" ? { type: "text", text: part } : (media.part(part) as AnthropicBlock),
    )
    return content.length > 0 ? [{ role: "user", content }] : []
  }
}
