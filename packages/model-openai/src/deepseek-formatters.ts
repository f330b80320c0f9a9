import { type Msg, textOf, toolUsesOf } from "@agentscope-ts/message"
import type { FormatterOptions } from "@agentscope-ts/model"
import {
  functionCall,
  historyText,
  type MediaForms,
  MediaFormatter,
  type PreparedMedia,
} from "@agentscope-ts/model/wire"
import { HistoryFormatter, withoutLimit } from "./history-formatter.ts"
import { thinkingOf, toolMessage } from "./openai-chat-formatter.ts"
import { systemMessage } from "./openai-multi-agent-formatter.ts"
import type { OpenAIWireMessage } from "./wire-message.ts"

/**
 * Messages for DeepSeek, each as its own, with text as strings. Thinking goes back as `reasoning_content`: in thinking mode
 * DeepSeek refuses tool turns that lost it. Pictures and sounds are left out: its models do not take them.
 */
export class DeepSeekChatFormatter extends MediaFormatter<OpenAIWireMessage, never> {
  override readonly provider = "deepseek"

  constructor(options: FormatterOptions = {}) {
    super(noMedia, options)
  }

  protected override wireOf(msg: Msg, media: PreparedMedia<never>): readonly OpenAIWireMessage[] {
    const results = msg.content.flatMap((block) =>
      block.type === "tool_result" ? [toolMessage(block, media.text(block).text)] : [],
    )
    return [...results, ...ownMessage(msg)]
  }
}

const noMedia: MediaForms<never> = {
  needsLoading: () => false,
  part: () => undefined,
  load: () => Promise.resolve(undefined),
}

/** Everything of a message but its tool results. */
function ownMessage(msg: Msg): readonly OpenAIWireMessage[] {
  const calls = toolUsesOf(msg).map(functionCall)
  const [text, thinking] = [textOf(msg), thinkingOf(msg)]
  if (text === "" && calls.length === 0 && thinking === "") return []
  return [
    {
      role: msg.role,
      content: text === "" && calls.length > 0 ? null : text,
      ...(thinking !== "" && { reasoning_content: thinking }),
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
