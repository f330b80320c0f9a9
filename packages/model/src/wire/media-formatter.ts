import type { Msg, ToolResultBlock } from "@agentscope-ts/message"
import { type FormatAccess, Formatter, type FormatterOptions } from "../formatter.ts"
import { joinedTurns } from "./joined-turns.ts"
import { type MediaForms, PreparedMedia } from "./prepared-media.ts"
import { promotedParts } from "./promoted-parts.ts"

/** A formatter of single messages whose media may have to be read or saved first. */
export abstract class MediaFormatter<Wire, Part> extends Formatter<Wire> {
  readonly #forms: MediaForms<Part>
  readonly #nothing: PreparedMedia<Part>

  constructor(forms: MediaForms<Part>, options: FormatterOptions = {}) {
    super(options)
    this.#forms = forms
    this.#nothing = new PreparedMedia(forms)
  }

  /**
   * Whether the media of results are shown in a message after them. On wires where a result is a message of its own nothing
   * else may stand between the results of one turn: {@link wireOf} puts the media after all of its results, and
   * neighbouring messages that are nothing but results go as one. Default false.
   */
  protected get promotes(): boolean {
    return false
  }

  override turns(messages: readonly Msg[]): readonly Msg[] {
    return this.promotes ? joinedTurns(messages, (before, [next]) => isResults(before) && isResults(next)) : messages
  }

  override formatMessage(msg: Msg): readonly Wire[] | undefined {
    return PreparedMedia.isNeeded(msg, this.#forms) ? undefined : this.wireOf(msg, this.#nothing)
  }

  protected override async formatAll(messages: readonly Msg[], access?: FormatAccess): Promise<Wire[]> {
    const wire: Wire[] = []
    for (const msg of messages) {
      const isNeeded = PreparedMedia.isNeeded(msg, this.#forms)
      const media = isNeeded ? await PreparedMedia.of(msg, this.#forms, this.options.saveMedia, access) : this.#nothing
      wire.push(...this.wireOf(msg, media))
    }
    return wire
  }

  /** A result as a text that names its media, and its images as they are shown after it with `promoteToolResultImages`. */
  protected named(
    result: ToolResultBlock,
    media: PreparedMedia<Part>,
    textPart: (text: string) => Part,
  ): readonly [text: string, shown: readonly Part[]] {
    const { text, media: named } = media.text(result)
    const images = this.options.promoteToolResultImages ? named.filter(({ block }) => block.type === "image") : []
    return [text, promotedParts(result, images, { text: textPart, part: ({ block }) => media.part(block) })]
  }

  /** What a provider writes: the wire form of one message, whose media are ready. */
  protected abstract wireOf(msg: Msg, media: PreparedMedia<Part>): readonly Wire[]
}

const isResults = (msg: Msg | undefined): boolean =>
  msg !== undefined && msg.content.length > 0 && msg.content.every(({ type }) => type === "tool_result")
