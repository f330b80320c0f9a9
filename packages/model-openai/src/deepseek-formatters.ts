import type { FormatterOptions } from "@agentscope-ts/model"
import { OpenAIChatFormatter } from "./openai-chat-formatter.ts"
import { OpenAIMultiAgentFormatter } from "./openai-multi-agent-formatter.ts"

/**
 * Messages for DeepSeek, each as its own, with text as strings. Thinking goes back as `reasoning_content`: in thinking mode
 * DeepSeek refuses tool turns that lost it. Pictures and sounds are left out: its models do not take them.
 */
export class DeepSeekChatFormatter extends OpenAIChatFormatter {
  constructor(options: FormatterOptions = {}) {
    super({ ...options, provider: "deepseek" })
  }
}

/** Messages of several speakers for DeepSeek: what they say becomes one user message between `<history>` tags, run by run. */
export class DeepSeekMultiAgentFormatter extends OpenAIMultiAgentFormatter {
  constructor(options: FormatterOptions = {}) {
    super({ ...options, provider: "deepseek" })
  }
}
