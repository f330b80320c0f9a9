import type { FormatterOptions } from "../formatter.ts"
import { HistoryFormatter, type HistoryForms } from "./history-formatter.ts"
import type { PartsFormatter, PartsRole } from "./parts-formatter.ts"

/** What a {@link PartsHistoryFormatter} is made of. */
export interface PartsHistoryForms<Wire, Part> extends HistoryForms<Wire, Part> {
  readonly chat: PartsFormatter<Wire, Part>
}

/** A {@link HistoryFormatter} whose messages and texts are those of the formatter for single speakers. */
export abstract class PartsHistoryFormatter<Wire, Part> extends HistoryFormatter<Wire, Part> {
  readonly #chat: PartsFormatter<Wire, Part>

  constructor(forms: PartsHistoryForms<Wire, Part>, options: FormatterOptions = {}) {
    super(forms, options)
    this.#chat = forms.chat
  }

  protected override system(text: string): Wire {
    return this.#message("system", [text])
  }

  protected override talk(parts: readonly (string | Part)[]): Wire {
    return this.#message("user", parts)
  }

  #message(role: PartsRole, parts: readonly (string | Part)[]): Wire {
    const filled = parts.map((part) => (typeof part === "string" ? this.#chat.text(part) : part))
    return this.#chat.message(
      role,
      filled.filter((part) => part !== undefined),
    )
  }
}
