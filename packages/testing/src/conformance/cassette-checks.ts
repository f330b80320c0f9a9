import type { Cassette } from "../cassette.ts"
import { isNdjson } from "../cassette.ts"
import { startReplayServer } from "../replay-server.ts"
import { type Chunking, splitBody } from "../split-body.ts"
import { memoryFetch } from "./answer-from-memory.ts"
import { callOnce, type Outcome, requestFor } from "./call.ts"
import { checkAnswer } from "./check-answer.ts"
import type { ConformanceCheck } from "./conformance-check.ts"
import { nameOf } from "./find-cassettes.ts"
import type { ModelConformanceSuite } from "./model-suite.ts"
import { checkGoesBack } from "./sealed-goes-back.ts"

interface Cut {
  readonly chunking: Chunking
  readonly seed: number
  /** From memory; over a real connection otherwise. */
  readonly memory?: boolean
}

/** Every cassette, cut in every way, is read as it was meant. */
export function cassetteChecks(suite: ModelConformanceSuite, cassettes: readonly Cassette[]): ConformanceCheck[] {
  const seed = suite.seed ?? 1
  const randoms = process.env["AGENTSCOPE_SOAK"] === "1" ? 40 : 4
  const cuts: Cut[] = [
    { chunking: "whole", seed },
    { chunking: "event", seed },
    { chunking: "lines", seed, memory: true },
    { chunking: "byte", seed, memory: true },
    ...Array.from({ length: randoms }, (_, i) => ({ chunking: "random" as const, seed: seed + i, memory: i > 1 })),
  ]
  return cassettes.map((cassette) => ({
    group: "recorded traffic is read as it was meant",
    name: nameOf(cassette),
    cassette,
    timeoutMs: 60_000,
    run: async () => {
      for (const cut of cuts) {
        const outcome = await (cut.memory ? fromMemory(suite, cassette, cut) : overLoopback(suite, cassette, cut))
        naming(`cut by ${cut.chunking}${cut.chunking === "random" ? ` ${cut.seed}` : ""}`, () =>
          checkAnswer(outcome, cassette),
        )
      }
      await checkGoesBack(suite, cassette)
    },
  }))
}

async function overLoopback(suite: ModelConformanceSuite, cassette: Cassette, cut: Cut): Promise<Outcome> {
  await using server = await startReplayServer(cassette, cut)
  const model = suite.create({ url: server.url, fetch: globalThis.fetch, live: true, cassette })
  const outcome = await callOnce(model, cassette, requestFor(cassette, suite))
  return { ...outcome, requests: server.requests.length }
}

async function fromMemory(suite: ModelConformanceSuite, cassette: Cassette, cut: Cut): Promise<Outcome> {
  const { status, headers, body } = cassette.response
  const pieces = splitBody(Buffer.from(body), { ...cut, maxChunk: 40, ndjson: isNdjson(cassette) })
  const { fetch, sent } = memoryFetch({ status, headers, pieces })
  const model = suite.create({ url: "http://127.0.0.1:9", fetch, live: false, cassette })
  const outcome = await callOnce(model, cassette, requestFor(cassette, suite))
  return { ...outcome, requests: sent.length }
}

/** Says in the failure under which circumstances it came. */
function naming(circumstance: string, check: () => void): void {
  try {
    check()
  } catch (error) {
    if (error instanceof Error) error.message += ` (${circumstance})`
    throw error
  }
}
