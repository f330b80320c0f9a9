import { randomOf } from "./seeded-random.ts"
import { testingError } from "./testing-error.ts"

/**
 * How a body is cut before it is sent: `whole`, one piece an `event`, one a `byte`, one a line (`lines`), or `random` pieces
 * of a seed, with cuts inside UTF-8 sequences and between CR and LF.
 */
export type Chunking = "whole" | "event" | "byte" | "lines" | "random"

const chunkings: readonly string[] = ["whole", "event", "byte", "lines", "random"] satisfies readonly Chunking[]

/** @throws AgentScopeError `invalid_option` for a word that names no way to cut. */
export function checkChunking(chunking: string): void {
  if (chunkings.includes(chunking)) return
  throw testingError(
    "invalid_option",
    `Unknown chunking ${JSON.stringify(chunking)}: it is one of ${chunkings.join(", ")}.`,
  )
}

/** `seed` and `maxChunk` (bytes) shape `random`; `ndjson` says that every line is an event. */
export interface SplitOptions {
  readonly chunking: Chunking
  readonly seed: number
  readonly maxChunk: number
  readonly ndjson: boolean
}

const [LF, CR] = [10, 13]

/** The pieces of a body, in order and none of them empty; joined they are the body again. */
export function splitBody(body: Buffer, options: SplitOptions): Buffer[] {
  checkChunking(options.chunking)
  const cuts = [...new Set(cutsOf(body, options))]
    .filter((cut) => cut > 0 && cut < body.length)
    .toSorted((a, b) => a - b)
  if (body.length === 0) return []
  return [...cuts, body.length].map((cut, i) => body.subarray(cuts[i - 1] ?? 0, cut))
}

function cutsOf(body: Buffer, { chunking, seed, maxChunk, ndjson }: SplitOptions): Iterable<number> {
  switch (chunking) {
    case "whole":
      return []
    case "byte":
      return body.keys()
    case "lines":
      return lineEnds(body)
    case "event":
      return ndjson ? lineEnds(body) : eventEnds(body)
    case "random":
      return randomCuts(body, seed, maxChunk)
  }
}

function* lineEnds(body: Buffer): Generator<number> {
  for (const [i, byte] of body.entries()) if (byte === LF) yield i + 1
}

function* eventEnds(body: Buffer): Generator<number> {
  // latin1 has one character a byte, so that offsets in the text are offsets in the body
  for (const match of body.toString("latin1").matchAll(/\r\n\r\n|\n\n|\r\r/g)) yield match.index + match[0].length
}

function* randomCuts(body: Buffer, seed: number, maxChunk: number): Generator<number> {
  const random = randomOf(seed)
  for (let at = 0; at < body.length; yield at) at += 1 + Math.floor(random() * maxChunk)
  for (const [i, byte] of body.entries()) {
    const insideCharacter = (byte & 0xc0) === 0x80
    const insideLineEnd = byte === LF && body[i - 1] === CR
    if ((insideCharacter || insideLineEnd) && random() < 0.5) yield i
  }
}
