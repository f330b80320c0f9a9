import type { Msg } from "@agentscope-ts/message"
import { Formatter, type FormatterOptions } from "@agentscope-ts/model"
import {
  conversationHistoryPrompt,
  historyGroups,
  historyText,
  type MediaForms,
  PreparedMedia,
} from "@agentscope-ts/model/wire"

/**
 * Messages of several speakers: what they say becomes one user message between `<history>` tags, run by run; tool calls and
 * their results stay what the formatter for single speakers makes of them.
 */
export abstract class HistoryFormatter<Wire> extends Formatter<Wire> {
  protected abstract readonly chat: Formatter<Wire>
  protected abstract system(msg: Msg): Promise<readonly Wire[]> | readonly Wire[]
  /** A run of talk, introduced by `prompt`. */
  protected abstract talk(messages: readonly Msg[], prompt: string): Promise<readonly Wire[]> | readonly Wire[]

  protected override async formatAll(messages: readonly Msg[]): Promise<Wire[]> {
    const wire: Wire[] = []
    for (const { type, messages: group, first } of historyGroups(messages)) {
      const prompt = first ? (this.options.conversationHistoryPrompt ?? conversationHistoryPrompt) : ""
      if (type === "tools") wire.push(...(await this.chat.format(group)))
      else if (type === "system") for (const msg of group) wire.push(...(await this.system(msg)))
      else wire.push(...(await this.talk(group, prompt)))
    }
    return wire
  }
}

/** The options of the formatter for single speakers: the history as a whole is shortened by the one that holds it. */
export function withoutLimit<T extends FormatterOptions>(options: T): T {
  return { ...options, maxTokens: undefined, tokenCounter: undefined }
}

/** A run of talk as parts: its text, then its pictures, sounds and files. */
export async function talkParts<Part>(
  messages: readonly Msg[],
  prompt: string,
  forms: MediaForms<Part>,
  textPart: (text: string) => Part,
): Promise<readonly Part[]> {
  const text = historyText(messages, prompt)
  const parts = text === "" ? [] : [textPart(text)]
  for (const kind of ["image", "audio", "file"] as const) {
    for (const msg of messages) {
      const shown: Msg = { ...msg, role: "user", content: msg.content.filter((block) => block.type === kind) }
      const media = await PreparedMedia.of(shown, forms, undefined)
      for (const block of shown.content) {
        const part = block.type === kind ? media.part(block) : undefined
        if (part !== undefined) parts.push(part)
      }
    }
  }
  return parts
}
