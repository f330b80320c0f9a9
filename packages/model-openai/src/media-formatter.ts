import type { Msg, ToolResultBlock } from "@agentscope-ts/message"
import { Formatter, type FormatterOptions } from "@agentscope-ts/model"
import { type MediaForms, PreparedMedia, type ToolResultText } from "@agentscope-ts/model/wire"

/** Messages each as its own, with their media read and saved first where that is needed. */
export abstract class MediaFormatter<Wire, Part> extends Formatter<Wire> {
  readonly #forms: MediaForms<Part>
  readonly #nothing: PreparedMedia<Part>

  constructor(options: FormatterOptions, forms: MediaForms<Part>) {
    super(options)
    this.#forms = forms
    this.#nothing = new PreparedMedia(forms)
  }

  /** The wire form of a message whose media are at hand. */
  protected abstract wire(msg: Msg, media: PreparedMedia<Part>): readonly Wire[]

  override formatMessage(msg: Msg): readonly Wire[] | undefined {
    return PreparedMedia.isNeeded(msg, this.#forms) ? undefined : this.wire(msg, this.#nothing)
  }

  protected override async formatAll(messages: readonly Msg[]): Promise<Wire[]> {
    const wire: Wire[] = []
    for (const msg of messages) {
      const isNeeded = PreparedMedia.isNeeded(msg, this.#forms)
      const media = isNeeded ? await PreparedMedia.of(msg, this.#forms, this.options.saveMedia) : this.#nothing
      wire.push(...this.wire(msg, media))
    }
    return wire
  }

  /** The pictures of a result as they are shown once more, where that is wanted; empty otherwise. */
  protected promoted(
    { name }: ToolResultBlock,
    named: ToolResultText["media"],
    media: PreparedMedia<Part>,
    textPart: (text: string) => Part,
  ): readonly Part[] {
    const images = this.options.promoteToolResultImages ? named.filter(({ block }) => block.type === "image") : []
    if (images.length === 0) return []
    const start = `<system-info>The following are the image contents from the tool result of '${name}':`
    const parts = [textPart(start)]
    for (const { block, url } of images) {
      const part = media.part(block)
      if (part !== undefined) parts.push(textPart(`\n- The image from '${url}': `), part)
    }
    return [...parts, textPart("</system-info>")]
  }
}
