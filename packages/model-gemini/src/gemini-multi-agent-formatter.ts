import type { MediaBlock, Msg } from "@agentscope-ts/message"
import { Formatter } from "@agentscope-ts/model"
import { conversationHistoryPrompt, historyGroups, historyParts } from "@agentscope-ts/model/wire"
import type { Content, Part } from "@google/genai"
import { GeminiChatFormatter, type GeminiFormatterOptions } from "./gemini-chat-formatter.ts"
import { mediaForms } from "./media-part.ts"

const forms = mediaForms(false, false)
const media = ["image", "audio", "video", "file"] as const

/**
 * Messages of several speakers as Gemini's `contents`: what they say becomes one user content between `<history>` tags,
 * run by run, with media where they stand; tool calls and their results stay contents of their own.
 */
export class GeminiMultiAgentFormatter extends Formatter<Content> {
  override readonly provider = "gemini"
  readonly #chat: GeminiChatFormatter

  constructor(options: GeminiFormatterOptions = {}) {
    super(options)
    const { maxTokens: _, tokenCounter: __, ...rest } = options
    this.#chat = new GeminiChatFormatter(rest)
  }

  protected override async formatAll(messages: readonly Msg[]): Promise<Content[]> {
    const contents: Content[] = []
    for (const { type, messages: group, first } of historyGroups(messages)) {
      if (type === "talk") contents.push(...(await this.#talk(group, first)))
      else contents.push(...(await this.#chat.format(group)))
    }
    return contents
  }

  async #talk(messages: readonly Msg[], first: boolean): Promise<readonly Content[]> {
    const prompt = first ? (this.options.conversationHistoryPrompt ?? conversationHistoryPrompt) : ""
    const parts: Part[] = []
    for (const said of historyParts(messages, { prompt, media, opening: "<history>" })) {
      const part = typeof said === "string" ? { text: said } : await partOf(said)
      if (part) parts.push(part)
    }
    return parts.length > 0 ? [{ role: "user", parts }] : []
  }
}

const partOf = (block: MediaBlock): Part | undefined | Promise<Part | undefined> =>
  forms.needsLoading(block) ? forms.load(block) : forms.part(block)
