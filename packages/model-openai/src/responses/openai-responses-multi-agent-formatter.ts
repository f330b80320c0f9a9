import type { Msg } from "@agentscope-ts/message"
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
    super({ chat, kinds: inputKinds(audio), media: inputForms({ audio }), mediaLast: true }, options)
    this.provider = provider
  }

  /** Its texts stay apart. */
  protected override system(_: string, { content }: Msg): OpenAIInputItem {
    const parts = content.flatMap((block) => (block.type === "text" ? [inputText(block.text)] : []))
    return { role: "system", content: parts }
  }

  protected override talk(parts: readonly (string | OpenAIInputPart)[]): OpenAIInputItem {
    return { role: "user", content: parts.map((part) => (typeof part === "string" ? inputText(part) : part)) }
  }
}
