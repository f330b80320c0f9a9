import type { MediaBlock, Msg, ToolResultBlock } from "@agentscope-ts/message"
import type { FormatAccess, FormatterOptions } from "../formatter.ts"
import { needsSaving, savedToolResultText, toolResultText, type ToolResultText } from "./tool-result-text.ts"

/** How a wire shows media, and which of them in which messages. */
export interface MediaForms<Part> {
  /** Whether a medium must be read from a file or the web before it can be shown. */
  needsLoading(block: MediaBlock): boolean
  /** The part that shows a medium which needs no loading; undefined for what the wire has no form for. */
  part(block: MediaBlock): Part | undefined
  /** {@link MediaForms.part} for what needs loading. */
  load(block: MediaBlock, access?: FormatAccess): Promise<Part | undefined>
  /** Whether the media of assistant messages are shown. Default false. */
  readonly ofAssistant?: boolean | undefined
  /** Which media are shown outside of tool results. Default all. */
  ofMessage?(block: MediaBlock): boolean
  /** Which media of a tool result are shown as parts. Default: none; the text names them. */
  ofResult?(block: MediaBlock): boolean
  /** Whether a result's media become parts where they stand, so that no text has to name them. Default false. */
  readonly inResults?: boolean | undefined
}

/** What of a message had to be read or saved before it could be formatted. */
export class PreparedMedia<Part> {
  readonly #forms: MediaForms<Part>
  readonly #parts = new Map<MediaBlock, Part | undefined>()
  readonly #texts = new Map<ToolResultBlock, ToolResultText>()

  /** For messages where nothing has to be. */
  constructor(forms: MediaForms<Part>) {
    this.#forms = forms
  }

  /** Whether a message needs anything read or saved at all. */
  static isNeeded<Part>(msg: Msg, forms: MediaForms<Part>): boolean {
    return msg.content.some((block) => {
      if (block.type === "text" || block.type === "thinking" || block.type === "tool_use") return false
      if (block.type !== "tool_result") return isShown(block, msg, forms) && forms.needsLoading(block)
      if (forms.inResults !== true && needsSaving(block)) return true
      return shownIn(block, forms).some((media) => forms.needsLoading(media))
    })
  }

  /** Reads and saves what has to be. */
  static async of<Part>(
    msg: Msg,
    forms: MediaForms<Part>,
    saveMedia: FormatterOptions["saveMedia"],
    access?: FormatAccess,
  ): Promise<PreparedMedia<Part>> {
    const prepared = new PreparedMedia(forms)
    for (const block of msg.content) {
      if (block.type === "text" || block.type === "thinking" || block.type === "tool_use") continue
      if (block.type === "tool_result") {
        if (forms.inResults !== true) prepared.#texts.set(block, await savedToolResultText(block, saveMedia))
        for (const media of shownIn(block, forms)) await prepared.#load(media, access)
      } else if (isShown(block, msg, forms)) await prepared.#load(block, access)
    }
    return prepared
  }

  async #load(block: MediaBlock, access: FormatAccess | undefined): Promise<void> {
    if (this.#forms.needsLoading(block)) this.#parts.set(block, await this.#forms.load(block, access))
  }

  part(block: MediaBlock): Part | undefined {
    return this.#parts.has(block) ? this.#parts.get(block) : this.#forms.part(block)
  }

  /** {@link part} for a medium that a message shows by itself; undefined where it is not to be shown. */
  shown(block: MediaBlock, msg: Msg): Part | undefined {
    return isShown(block, msg, this.#forms) ? this.part(block) : undefined
  }

  text(result: ToolResultBlock): ToolResultText {
    return this.#texts.get(result) ?? toolResultText(result)
  }
}

function isShown<Part>(block: MediaBlock, msg: Msg, forms: MediaForms<Part>): boolean {
  return (msg.role !== "assistant" || forms.ofAssistant === true) && forms.ofMessage?.(block) !== false
}

function shownIn<Part>({ output }: ToolResultBlock, forms: MediaForms<Part>): readonly MediaBlock[] {
  return output.filter((block): block is MediaBlock => block.type !== "text" && forms.ofResult?.(block) === true)
}
