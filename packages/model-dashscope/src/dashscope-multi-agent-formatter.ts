import type { Msg } from "@agentscope-ts/message"
import { HistoryFormatter, withoutLimit } from "@agentscope-ts/model/wire"
import {
  contentOf,
  DashScopeChatFormatter,
  type DashScopeFormatterOptions,
  textPart,
} from "./dashscope-chat-formatter.ts"
import { mediaForms, mediaKinds } from "./media-part.ts"
import type { DashScopeContentPart, DashScopeWireMessage } from "./wire-message.ts"

/**
 * Messages of several speakers for DashScope: what they say becomes one user message between `<history>` tags, run by run,
 * with media where they stand; tool calls and their results stay messages of their own.
 */
export class DashScopeMultiAgentFormatter extends HistoryFormatter<DashScopeWireMessage, DashScopeContentPart> {
  override readonly provider = "dashscope"
  readonly #chat: DashScopeChatFormatter

  constructor(options: DashScopeFormatterOptions = {}) {
    const chat = new DashScopeChatFormatter(withoutLimit(options))
    super({ chat, media: mediaForms(), kinds: mediaKinds, text: textPart }, options)
    this.#chat = chat
  }

  /** See {@link DashScopeChatFormatter.showsMedia}. */
  showsMedia(msg: Msg): boolean {
    return this.#chat.showsMedia(msg) || msg.content.some(({ type }) => mediaKinds.includes(type))
  }

  protected override message(role: string, parts: readonly DashScopeContentPart[]): DashScopeWireMessage {
    return { role, content: contentOf(parts) }
  }
}
