import { HistoryFormatter, withoutLimit } from "@agentscope-ts/model/wire"
import { inputForms, inputKinds } from "./input-media.ts"
import {
  inputText,
  OpenAIResponsesChatFormatter,
  type OpenAIResponsesFormatterOptions,
} from "./openai-responses-chat-formatter.ts"
import type { OpenAIInputItem, OpenAIInputPart } from "./wire-input.ts"

/**
 * Messages of several speakers for the Responses API: what they say becomes one user message between `<history>` tags, run
 * by run, with the pictures and sounds after the text; tool calls with their reasoning, and their results, stay items.
 */
export class OpenAIResponsesMultiAgentFormatter extends HistoryFormatter<OpenAIInputItem, OpenAIInputPart> {
  override readonly provider: string

  constructor(options: OpenAIResponsesFormatterOptions = {}) {
    const { audio, provider = "openai" } = options
    const chat = new OpenAIResponsesChatFormatter(withoutLimit(options))
    const [kinds, media] = [inputKinds(audio), inputForms({ audio })]
    super({ chat, kinds, media, mediaLast: true, text: inputText }, options)
    this.provider = provider
  }

  protected override message(role: string, content: readonly OpenAIInputPart[]): OpenAIInputItem {
    return { role, content }
  }
}
