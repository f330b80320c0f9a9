import { type Msg, textOf } from "@agentscope-ts/message"
import { Formatter, type FormatterOptions } from "@agentscope-ts/model"
import { historyText, needsSaving, savedToolResultText, toolResultText } from "@agentscope-ts/model/wire"
import { HistoryFormatter, withoutLimit } from "./history-formatter.ts"
import { callOf, toolMessage } from "./openai-chat-formatter.ts"
import { systemMessage } from "./openai-multi-agent-formatter.ts"
import type { OpenAIToolCall, OpenAIWireMessage } from "./wire-message.ts"

/**
 * Messages for DeepSeek, each as its own, with text as strings. Thinking goes back as `reasoning_content`: in thinking mode
 * DeepSeek refuses tool turns that lost it. Pictures and sounds are left out: its models do not take them.
 */
export class DeepSeekChatFormatter extends Formatter<OpenAIWireMessage> {
  override readonly provider = "deepseek"

  override formatMessage(msg: Msg): readonly OpenAIWireMessage[] | undefined {
    const results: OpenAIWireMessage[] = []
    for (const block of msg.content) {
      if (block.type !== "tool_result") continue
      if (needsSaving(block)) return undefined
      results.push(toolMessage(block, toolResultText(block).text))
    }
    return [...results, ...ownMessage(msg)]
  }

  protected override async formatAll(messages: readonly Msg[]): Promise<OpenAIWireMessage[]> {
    const wire: OpenAIWireMessage[] = []
    for (const msg of messages) wire.push(...(this.formatMessage(msg) ?? (await this.#saved(msg))))
    return wire
  }

  async #saved(msg: Msg): Promise<readonly OpenAIWireMessage[]> {
    const wire: OpenAIWireMessage[] = []
    for (const block of msg.content) {
      if (block.type !== "tool_result") continue
      wire.push(toolMessage(block, (await savedToolResultText(block, this.options.saveMedia)).text))
    }
    return [...wire, ...ownMessage(msg)]
  }
}

/** Everything of a message but its tool results. */
function ownMessage(msg: Msg): readonly OpenAIWireMessage[] {
  const thinking: string[] = []
  const calls: OpenAIToolCall[] = []
  for (const block of msg.content) {
    if (block.type === "tool_use") calls.push(callOf(block))
    else if (block.type === "thinking" && block.thinking !== "") thinking.push(block.thinking)
  }
  const text = textOf(msg)
  if (text === "" && calls.length === 0 && thinking.length === 0) return []
  return [
    {
      role: msg.role,
      content: text === "" && calls.length > 0 ? null : text,
      ...(thinking.length > 0 && { reasoning_content: thinking.join("\n") }),
      ...(calls.length > 0 && { tool_calls: calls }),
    },
  ]
}

/** Messages of several speakers for DeepSeek: what they say becomes one user message between `<history>` tags, run by run. */
export class DeepSeekMultiAgentFormatter extends HistoryFormatter<OpenAIWireMessage> {
  override readonly provider = "deepseek"
  protected override readonly chat: DeepSeekChatFormatter

  constructor(options: FormatterOptions = {}) {
    super(options)
    this.chat = new DeepSeekChatFormatter(withoutLimit(options))
  }

  protected override system(msg: Msg): readonly OpenAIWireMessage[] {
    return systemMessage(msg)
  }

  protected override talk(messages: readonly Msg[], prompt: string): readonly OpenAIWireMessage[] {
    const content = historyText(messages, prompt)
    return content === "" ? [] : [{ role: "user", content }]
  }
}
