import { PartsHistoryFormatter, withoutLimit } from "@agentscope-ts/model/wire"
import { AnthropicChatFormatter, type AnthropicFormatterOptions } from "./anthropic-chat-formatter.ts"
import { mediaForms, mediaKinds } from "./media-block.ts"
import type { AnthropicBlock, AnthropicWireMessage } from "./wire-message.ts"

/**
 * Messages of several speakers for the Messages API: what they say becomes one user message between `<history>` tags, run
 * by run, with pictures and documents where they were shown; tool calls and their results stay messages of their own.
 */
export class AnthropicMultiAgentFormatter extends PartsHistoryFormatter<AnthropicWireMessage, AnthropicBlock> {
  override readonly provider = "anthropic"

  constructor(options: AnthropicFormatterOptions = {}) {
    const chat = new AnthropicChatFormatter(withoutLimit(options))
    super({ chat, media: mediaForms(options.saveMedia), kinds: mediaKinds }, options)
  }
}
