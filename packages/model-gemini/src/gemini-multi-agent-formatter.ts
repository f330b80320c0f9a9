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
    super({ chat, media: mediaForms(false, false), kinds: mediaKinds, opening: "<history>" }, options)
  }

  protected override system(text: string): Content {
    return this.talk([text])
  }

  protected override talk(parts: readonly (string | Part)[]): Content {
    return { role: "user", parts: parts.map((part) => (typeof part === "string" ? { text: part } : part)) }
  }
}
