import { type Cassette, isNdjson } from "../cassette.ts"
import { splitBody } from "../split-body.ts"
import { expectationOf } from "./expectation.ts"
import { isStream } from "./find-cassettes.ts"

/** A recorded stream and a place in the middle of it. */
export interface SampleStream {
  readonly cassette: Cassette
  /** The ends of its events, as offsets in the bytes of the body. */
  readonly ends: readonly number[]
  /** The end of an event after which something has been said and something is still to come. */
  readonly middle: number
}

/** The stream by which the behaviour in the middle of an answer is tried: a plain text of many events, where there is one. */
export function sampleStream(cassettes: readonly Cassette[]): SampleStream | undefined {
  const plain = ({ thinking, serverTools, toolCalls }: ReturnType<typeof expectationOf>): number =>
    thinking === "" && serverTools === undefined && toolCalls.length === 0 ? 0 : 1
  const fitting = cassettes
    .filter((cassette) => isStream(cassette) && expectationOf(cassette).error === undefined)
    .map((cassette) => ({ cassette, expected: expectationOf(cassette), ends: eventEndsOf(cassette) }))
    .filter(({ expected, ends }) => expected.text !== "" && ends.length >= 3)
    .toSorted((a, b) => plain(a.expected) - plain(b.expected) || b.ends.length - a.ends.length)
  const best = fitting[0]
  if (best === undefined) return undefined
  const { cassette, ends } = best
  return { cassette, ends, middle: ends[Math.floor((ends.length - 1) * 0.6)] ?? 0 }
}

/** Where the events of a body end, the last one included. */
export function eventEndsOf(cassette: Cassette): number[] {
  const body = Buffer.from(cassette.response.body)
  let at = 0
  return splitBody(body, { chunking: "event", seed: 1, maxChunk: 1, ndjson: isNdjson(cassette) }).map(
    (event) => (at += event.length),
  )
}
