import type { Msg } from "@agentscope-ts/message"
import { HistoryFormatter, talkParts, withoutLimit } from "../history-formatter.ts"
import { inputForms } from "../media-part.ts"
import {
  inputText,
  OpenAIResponsesChatFormatter,
  type OpenAIResponsesFormatterOptions,
} from "./openai-responses-chat-formatter.ts"
import type { OpenAIInputItem } from "./wire-input.ts"

/**
 * Messages of several speakers for the Responses API: what they say becomes one user message between `<history>` tags, run
 * by run, with the pictures and sounds after the text; tool calls with their reasoning, and their results, stay items.
 */
export class OpenAIResponsesMultiAgentFormatter extends HistoryFormatter<OpenAIInputItem> {
  override readonly provider: string
  readonly #audio: boolean | undefined
  protected override readonly chat: OpenAIResponsesChatFormatter

  constructor(options: OpenAIResponsesFormatterOptions = {}) {
    super(options)
    this.#audio = options.audio
    this.provider = options.provider ?? "openai"
    this.chat = new OpenAIResponsesChatFormatter(withoutLimit(options))
  }

  protected override system(msg: Msg): Promise<readonly OpenAIInputItem[]> {
    return this.chat.format([msg])
  }

  protected override async talk(messages: readonly Msg[], prompt: string): Promise<readonly OpenAIInputItem[]> {
    const content = await talkParts(messages, prompt, inputForms({ audio: this.#audio }), inputText)
    return content.length > 0 ? [{ role: "user", content }] : []
  }
}
