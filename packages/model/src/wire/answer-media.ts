import type { BlockWriter } from "./block-writer.ts"
import { joinBase64 } from "./join-base64.ts"
import { mediaSourceOf } from "./media-source.ts"
import { objectIn, textIn } from "./read-value.ts"
import { sniffMediaType } from "./sniff.ts"

/** A medium of an answer: where it is, or a piece of it as base64; empty where there is none. */
export interface AnswerMedium {
  readonly type: "image" | "audio" | "video"
  readonly url: string
  readonly data: string
}

const kinds = ["image", "audio", "video"] as const

/** The media in the fields of an object that are named after their kind: a URL, or an object with a URL or data. */
export function answerMediaIn(value: object | undefined): readonly AnswerMedium[] {
  if (value === undefined) return []
  return kinds.flatMap((type) => {
    const medium = (value as Readonly<Record<string, unknown>>)[type]
    const { url, data } = objectIn<{ url?: unknown; data?: unknown }>(medium) ?? { url: medium }
    return textIn(url) !== "" || textIn(data) !== "" ? [{ type, url: textIn(url), data: textIn(data) }] : []
  })
}

/**
 * The media of an answer as blocks. Where events have all there is so far, they have each again: it is told once. A sound
 * comes in pieces, and at its end mostly with the URL of all of it, which then stands for them.
 */
export class AnswerMedia {
  readonly #blocks: BlockWriter
  readonly #soundType: string | undefined
  readonly #told = new Set<string>()
  readonly #pieces: string[] = []

  /** `soundType`: the type of a sound in pieces. Default: what it begins like. */
  constructor(blocks: BlockWriter, soundType?: string) {
    this.#blocks = blocks
    this.#soundType = soundType
  }

  /** Whether it has not been told yet. */
  isNew({ url, data }: AnswerMedium): boolean {
    return data !== "" || !this.#told.has(url)
  }

  add({ type, url, data }: AnswerMedium): void {
    const source = mediaSourceOf(url)
    if (source === undefined) {
      if (type === "audio" && data !== "") this.#pieces.push(data)
      return
    }
    if (type === "audio") this.#pieces.length = 0
    if (this.#told.has(url)) return
    this.#told.add(url)
    this.#blocks.wholeBlock({ type, source })
  }

  /** The answer is over: a sound without a URL is whole. */
  end(): void {
    if (this.#pieces.length === 0) return
    const data = joinBase64(this.#pieces)
    this.#pieces.length = 0
    const mediaType = this.#soundType ?? typeOfSound(data)
    this.#blocks.wholeBlock({ type: "audio", source: { type: "base64", mediaType, data } })
  }
}

/** What has no head is bare samples. */
function typeOfSound(base64: string): string {
  try {
    const head = atob(base64.slice(0, 64))
    return sniffMediaType(Uint8Array.from(head, (byte) => byte.charCodeAt(0))) ?? "audio/pcm"
  } catch {
    return "audio/pcm"
  }
}
