import { HistoryFormatter, mediaKinds, withoutLimit } from "@agentscope-ts/model/wire"
import type { Content, Part } from "@google/genai"
import { GeminiChatFormatter, type GeminiFormatterOptions } from "./gemini-chat-formatter.ts"
import { mediaForms } from "./media-part.ts"

/**
 * Messages of several speakers as Gemini's `contents`: what they say becomes one user content between `<history>` tags,
 * run by run, with media where they stand; tool calls and their results stay contents of their own.
 */
export class GeminiMultiAgentFormatter extends HistoryFormatter<Content, Part> {
  override readonly provider = "gemini"

  constructor(options: GeminiFormatterOptions = {}) {
    const chat = new GeminiChatFormatter(withoutLimit(options))
    const text = (said: string): Part => ({ text: said })
    super({ chat, media: mediaForms(false, false), kinds: mediaKinds, text, opening: "<history>" }, options)
  }

  protected override message(_: string, parts: readonly Part[]): Content {
    return { role: "user", parts: [...parts] }
  }
}
