import type { FormatterOptions } from "@agentscope-ts/model"
import { HistoryFormatter, withoutLimit } from "@agentscope-ts/model/wire"
import { mediaForms, type OllamaImage } from "./media-forms.ts"
import { OllamaChatFormatter, spoken } from "./ollama-chat-formatter.ts"
import type { OllamaWireMessage } from "./wire-message.ts"

/**
 * Messages of several speakers for Ollama: what they say becomes one user message between `<history>` tags, run by run, an
 * empty line where a picture stood; tool calls and their results stay messages of their own.
 */
export class OllamaMultiAgentFormatter extends HistoryFormatter<OllamaWireMessage, string | OllamaImage> {
  override readonly provider = "ollama"

  constructor(options: FormatterOptions = {}) {
    const chat = new OllamaChatFormatter(withoutLimit(options))
    super({ chat, media: mediaForms(), kinds: ["image"], text: (line) => line }, options)
  }

  protected override message(role: string, parts: readonly (string | OllamaImage)[]): OllamaWireMessage {
    return spoken(
      role,
      parts.flatMap((part) => (typeof part === "string" ? [part] : ["", part])),
    )
  }
}
