import type { BlockType, Msg } from "@agentscope-ts/message"
import { type FormatAccess, Formatter, type FormatterOptions } from "../formatter.ts"
import { conversationHistoryPrompt, historyGroups } from "./history-groups.ts"
import { historyParts } from "./history-parts.ts"
import type { MediaForms } from "./prepared-media.ts"

/** What a {@link HistoryFormatter} is made of. */
export interface HistoryForms<Wire, Part> {
  /** Formats tool calls and their results. */
  readonly chat: Formatter<Wire>
  /** How media are shown in talk; which of them `kinds` says. */
  readonly media: MediaForms<Part>
  readonly kinds: readonly BlockType[]
  /** The part of a text; undefined for one that is left out. */
  readonly text: (text: string) => Part | undefined
  /** See `historyParts`. */
  readonly opening?: string | undefined
  readonly mediaLast?: boolean | undefined
}

/** The options of the formatter for single speakers: the history as a whole is shortened by the one that holds it. */
export function withoutLimit<T extends FormatterOptions>(options: T): T {
  return { ...options, maxTokens: undefined, tokenCounter: undefined }
}

/**
 * A formatter of conversations between several speakers: what they say becomes one user message, run by run, with media
 * where they stand or after the text; tool calls and their results stay messages of their own, and so does a leading system message.
 */
export abstract class HistoryFormatter<Wire, Part> extends Formatter<Wire> {
  readonly #forms: HistoryForms<Wire, Part>

  constructor(forms: HistoryForms<Wire, Part>, options: FormatterOptions = {}) {
    super(options)
    this.#forms = forms
  }

  /** Whoever speaks, it becomes a user's message. */
  override mayBegin({ role, content }: Msg): boolean {
    return role !== "tool" && content.every(({ type }) => type !== "tool_use")
  }

  protected override async formatAll(messages: readonly Msg[], access?: FormatAccess): Promise<Wire[]> {
    const { chat, text } = this.#forms
    const wire: Wire[] = []
    for (const { type, messages: group, first } of historyGroups(messages)) {
      if (type === "tools") wire.push(...(await chat.format(group, access)))
      else if (type === "talk") wire.push(...this.#message("user", await this.#talk(group, first, access)))
      else {
        const said = group.flatMap(({ content }) => content)
        const parts = said.map((block) => (block.type === "text" ? text(block.text) : undefined))
        wire.push(...this.#message("system", parts))
      }
    }
    return wire
  }

  async #talk(
    messages: readonly Msg[],
    first: boolean,
    access: FormatAccess | undefined,
  ): Promise<readonly (Part | undefined)[]> {
    const { media, kinds, text, opening, mediaLast } = this.#forms
    const prompt = first ? (this.options.conversationHistoryPrompt ?? conversationHistoryPrompt) : ""
    const parts: (Part | undefined)[] = []
    for (const part of historyParts(messages, { prompt, media: kinds, opening, mediaLast })) {
      if (typeof part === "string") parts.push(text(part))
      else parts.push(media.needsLoading(part) ? await media.load(part, access) : media.part(part))
    }
    return parts
  }

  #message(role: "system" | "user", parts: readonly (Part | undefined)[]): readonly Wire[] {
    const filled = parts.filter((part) => part !== undefined)
    return filled.length > 0 ? [this.message(role, filled)] : []
  }

  /** What a provider writes: a message of these texts and media. */
  protected abstract message(role: "system" | "user", parts: readonly Part[]): Wire
}
