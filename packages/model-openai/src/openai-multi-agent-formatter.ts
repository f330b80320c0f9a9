import type { Msg } from "@agentscope-ts/message"
import { Formatter } from "@agentscope-ts/model"
import { conversationHistoryPrompt, historyGroups, historyText, PreparedMedia } from "@agentscope-ts/model/wire"
import { mediaForms } from "./media-part.ts"
import { OpenAIChatFormatter, type OpenAIFormatterOptions } from "./openai-chat-formatter.ts"
import type { OpenAIContentPart, OpenAIWireMessage } from "./wire-message.ts"

/**
 * Messages of several speakers for Chat Completions: what they say becomes one user message between `<history>` tags, run
 * by run, with the pictures and sounds after the text; tool calls and their results stay messages of their own.
 */
export class OpenAIMultiAgentFormatter extends Formatter<OpenAIWireMessage> {
  override readonly provider: string
  readonly #chat: OpenAIChatFormatter

  constructor(options: OpenAIFormatterOptions = {}) {
    super(options)
    this.provider = options.provider ?? "openai"
    const { maxTokens: _, tokenCounter: __, ...rest } = options
    this.#chat = new OpenAIChatFormatter(rest)
  }

  protected override async formatAll(messages: readonly Msg[]): Promise<OpenAIWireMessage[]> {
    const wire: OpenAIWireMessage[] = []
    for (const { type, messages: group, first } of historyGroups(messages)) {
      if (type === "tools") wire.push(...(await this.#chat.format(group)))
      else if (type === "system") wire.push(...group.flatMap(systemMessage))
      else wire.push(...(await this.#talk(group, first)))
    }
    return wire
  }

  async #talk(messages: readonly Msg[], first: boolean): Promise<readonly OpenAIWireMessage[]> {
    const content: OpenAIContentPart[] = []
    const forms = mediaForms(false)
    const prompt = first ? (this.options.conversationHistoryPrompt ?? conversationHistoryPrompt) : ""
    const text = historyText(messages, prompt)
    if (text !== "") content.push({ type: "text", text })
    for (const kind of ["image", "audio", "file"] as const) {
      for (const msg of messages) {
        const shown: Msg = { ...msg, role: "user", content: msg.content.filter((block) => block.type === kind) }
        const media = await PreparedMedia.of(shown, forms, this.options.saveMedia)
        for (const block of shown.content) {
          const part = block.type === kind ? media.part(block) : undefined
          if (part) content.push(part)
        }
      }
    }
    return content.length > 0 ? [{ role: "user", content }] : []
  }
}

/** A system message whose texts stay apart. */
export function systemMessage({ content }: Msg): readonly OpenAIWireMessage[] {
  const texts = content.flatMap((block) => (block.type === "text" ? [{ type: "text", text: block.text } as const] : []))
  return texts.length > 0 ? [{ role: "system", content: texts }] : []
}
