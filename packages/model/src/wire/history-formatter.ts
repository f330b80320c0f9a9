import { type BlockType, type Msg, textOf } from "@agentscope-ts/message"
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
    const wire: Wire[] = []
    for (const { type, messages: group, first } of historyGroups(messages)) {
      if (type === "tools") wire.push(...(await this.#forms.chat.format(group, access)))
      else if (type === "system") wire.push(...group.filter(hasText).map((msg) => this.system(textOf(msg), msg)))
      else wire.push(...(await this.#talk(group, first, access)))
    }
    return wire
  }

  async #talk(messages: readonly Msg[], first: boolean, access: FormatAccess | undefined): Promise<readonly Wire[]> {
    const { media, kinds, opening, mediaLast } = this.#forms
    const prompt = first ? (this.options.conversationHistoryPrompt ?? conversationHistoryPrompt) : ""
    const parts: (string | Part)[] = []
    for (const part of historyParts(messages, { prompt, media: kinds, opening, mediaLast })) {
      if (typeof part === "string") parts.push(part)
      else {
        const shown = media.needsLoading(part) ? await media.load(part, access) : media.part(part)
        if (shown !== undefined) parts.push(shown)
      }
    }
    return parts.length > 0 ? [this.talk(parts)] : []
  }

  /** A system message of this text; `msg` has its parts. */
  protected abstract system(text: string, msg: Msg): Wire

  /** A user message of these texts and media. */
  protected abstract talk(parts: readonly (string | Part)[]): Wire
}

const hasText = ({ content }: Msg): boolean => content.some(({ type }) => type === "text")
