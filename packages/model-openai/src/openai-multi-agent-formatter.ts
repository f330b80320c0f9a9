import type { Msg } from "@agentscope-ts/message"
import { HistoryFormatter, talkParts, withoutLimit } from "./history-formatter.ts"
import { mediaForms } from "./media-part.ts"
import { OpenAIChatFormatter, type OpenAIFormatterOptions, textPart } from "./openai-chat-formatter.ts"
import type { OpenAIWireMessage } from "./wire-message.ts"

/**
 * Messages of several speakers for Chat Completions: what they say becomes one user message between `<history>` tags, run
 * by run, with the pictures and sounds after the text; tool calls and their results stay messages of their own.
 */
export class OpenAIMultiAgentFormatter extends HistoryFormatter<OpenAIWireMessage> {
  override readonly provider: string
  protected override readonly chat: OpenAIChatFormatter

  constructor(options: OpenAIFormatterOptions = {}) {
    super(options)
    this.provider = options.provider ?? "openai"
    this.chat = new OpenAIChatFormatter(withoutLimit(options))
  }

  protected override system(msg: Msg): readonly OpenAIWireMessage[] {
    return systemMessage(msg)
  }

  protected override async talk(messages: readonly Msg[], prompt: string): Promise<readonly OpenAIWireMessage[]> {
    const content = await talkParts(messages, prompt, mediaForms(false), textPart)
    return content.length > 0 ? [{ role: "user", content }] : []
  }
}

/** A system message whose texts stay apart. */
export function systemMessage({ content }: Msg): readonly OpenAIWireMessage[] {
  const texts = content.flatMap((block) => (block.type === "text" ? [{ type: "text", text: block.text } as const] : []))
  return texts.length > 0 ? [{ role: "system", content: texts }] : []
}
