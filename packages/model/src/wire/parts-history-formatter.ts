import type { FormatterOptions } from "../formatter.ts"
import { HistoryFormatter, type HistoryForms } from "./history-formatter.ts"
import type { PartsFormatter } from "./parts-formatter.ts"

/** What a {@link PartsHistoryFormatter} is made of. */
export interface PartsHistoryForms<Wire, Part> extends Omit<HistoryForms<Wire, Part>, "text"> {
  readonly chat: PartsFormatter<Wire, Part>
}

/** A {@link HistoryFormatter} whose messages and texts are those of the formatter for single speakers. */
export abstract class PartsHistoryFormatter<Wire, Part> extends HistoryFormatter<Wire, Part> {
  readonly #chat: PartsFormatter<Wire, Part>

  constructor(forms: PartsHistoryForms<Wire, Part>, options: FormatterOptions = {}) {
    super({ ...forms, text: (text) => forms.chat.text(text) }, options)
    this.#chat = forms.chat
  }

  protected override message(role: "system" | "user", parts: readonly Part[]): Wire {
    return this.#chat.message(role, parts)
  }
}
