import { AgentScopeError, toolUsesOf } from "@agentscope-ts/message"
import { type ChatModel, type ChatResponse, withRetry } from "@agentscope-ts/model"
import { type Cassette, isNdjson } from "../cassette.ts"
import { randomOf } from "../seeded-random.ts"
import { splitBody } from "../split-body.ts"
import { memoryFetch } from "./answer-from-memory.ts"
import { type Outcome, requestFor, streamed } from "./call.ts"
import { comparable, mustKeep, readSoFar, type SoFar } from "./complete-blocks.ts"
import type { ConformanceCheck } from "./conformance-check.ts"
import { type DamagedBody, damages } from "./damage.ts"
import { must, mustEqual, told } from "./expectation.ts"
import { isStream, nameOf } from "./find-cassettes.ts"
import type { ModelConformanceSuite } from "./model-suite.ts"
import { eventEndsOf } from "./sample-stream.ts"
import { within } from "./within.ts"

/** A recorded stream, with what its undamaged beginnings give. */
class Victim {
  readonly name: string
  readonly bytes: Buffer
  readonly ends: readonly number[]
  readonly ndjson: boolean
  readonly #cassette: Cassette
  readonly #suite: ModelConformanceSuite
  readonly #heads = new Map<number, Promise<SoFar>>()
  #whole: Promise<Outcome> | undefined

  constructor(suite: ModelConformanceSuite, cassette: Cassette) {
    this.name = nameOf(cassette)
    this.bytes = Buffer.from(cassette.response.body)
    this.ends = eventEndsOf(cassette)
    this.ndjson = isNdjson(cassette)
    this.#cassette = cassette
    this.#suite = suite
  }

  get body(): string {
    return this.#cassette.response.body
  }

  /** What has come by the last event that ended before the offset. */
  before(offset: number): Promise<SoFar> {
    const end = this.ends.findLast((end) => end <= offset) ?? 0
    let head = this.#heads.get(end)
    if (head === undefined) {
      head = readSoFar((fetch) => this.#model(fetch), this.#request, this.bytes.subarray(0, end))
      this.#heads.set(end, head)
    }
    return head
  }

  whole(): Promise<Outcome> {
    this.#whole ??= this.read([this.bytes])
    return this.#whole
  }

  read(pieces: readonly Uint8Array[], broken = false): Promise<Outcome> {
    const { headers } = this.#cassette.response
    const { fetch } = memoryFetch({ headers, pieces, broken })
    return within(10_000, `the call (${this.name}) ended`, streamed(this.#model(fetch), this.#request))
  }

  get #request() {
    return requestFor(this.#cassette, this.#suite)
  }

  #model(fetch: typeof globalThis.fetch): ChatModel {
    const target = { url: "http://127.0.0.1:9", fetch, live: false, cassette: this.#cassette }
    return withRetry(this.#suite.create(target), { maxRetries: 0 })
  }
}

/** Streams damaged in every way end in a typed error or a right answer, and keep what was complete before the damage. */
export function damageChecks(suite: ModelConformanceSuite, cassettes: readonly Cassette[]): ConformanceCheck[] {
  const victims = cassettes
    .filter((cassette) => isStream(cassette) && cassette.response.status === 200)
    .map((cassette) => new Victim(suite, cassette))
  if (victims.length === 0) return []
  const count = suite.damages ?? (process.env["AGENTSCOPE_SOAK"] === "1" ? 10_000 : 1000)
  const group = "a damaged stream"
  const kinds = damages.map(({ name, share, damage }, kind): ConformanceCheck => {
    const run = async (): Promise<void> => {
      const random = randomOf((suite.seed ?? 1) * 100 + kind)
      const below = (limit: number): number => Math.floor(random() * limit)
      for (let i = 0; i < Math.ceil((count * share) / 10); i++) {
        const victim = pick(victims, below)
        const { bytes, ends, ndjson } = victim
        const damaged = damage({ bytes, ends, ndjson, random: below })
        try {
          await suffer(victim, damaged, below)
        } catch (error) {
          if (error instanceof Error) error.message += ` (${victim.name}, damage ${i} from byte ${damaged.from})`
          throw error
        }
      }
    }
    return { group, name, timeoutMs: 900_000, run }
  })
  const smallest = victims.toSorted((a, b) => a.bytes.length - b.bytes.length)
  const everywhere: ConformanceCheck = {
    group,
    name: "cut at every byte",
    timeoutMs: 900_000,
    run: async () => {
      // the smallest stream, of a long one every so many bytes; in a soak all that are not too long
      const soak = count > 1000
      for (const victim of soak ? smallest.filter(({ bytes }) => bytes.length < 20_000) : smallest.slice(0, 1)) {
        const step = soak ? 1 : Math.ceil(victim.bytes.length / 1000)
        for (let from = 0; from < victim.bytes.length; from += step) {
          const damaged = {
            bytes: victim.bytes.subarray(0, from),
            from,
            broken: from % 3 === 0,
            answer: "unless-error",
          } as const
          await suffer(victim, damaged, (limit) => from % limit)
        }
      }
    },
  }
  const endless: ConformanceCheck = {
    group,
    name: "with a line that never ends is given up",
    timeoutMs: 60_000,
    run: async () => {
      for (const victim of victims.slice(0, 2)) {
        const from = victim.ends[Math.floor((victim.ends.length - 1) / 2)] ?? 0
        const piece = Buffer.alloc(1_000_000, "x")
        const line = [victim.bytes.subarray(0, from), Buffer.from("data: "), ...Array.from({ length: 20 }, () => piece)]
        const outcome = await victim.read(line)
        checkTyped(outcome)
        must(outcome.error !== undefined, "a line of 20 MB was taken")
        mustKeep(outcome.response, await victim.before(from), victim.body)
      }
    },
  }
  return [...kinds, everywhere, endless]
}

/** Mostly small streams: they are as good, and a great many fit the time. */
function pick(victims: readonly Victim[], below: (limit: number) => number): Victim {
  const any = () => victims[below(victims.length)] as Victim
  const [first, second, third] = [any(), any(), any()]
  return below(20) === 0 ? first : [first, second, third].reduce((a, b) => (a.bytes.length <= b.bytes.length ? a : b))
}

async function suffer(victim: Victim, damaged: DamagedBody, below: (limit: number) => number): Promise<void> {
  const { bytes, from, broken = false, answer } = damaged
  const maxChunk = below(5) === 0 && bytes.length < 4000 ? 7 : Math.ceil(bytes.length / 6)
  const pieces = splitBody(bytes, { chunking: "random", seed: 1 + below(1_000_000), maxChunk, ndjson: victim.ndjson })
  const outcome = await victim.read(pieces, broken)
  const whole = await victim.whole()
  checkTyped(outcome)
  mustKeep(outcome.response, await victim.before(from), victim.body)
  const { error, response } = outcome
  if (answer === "same") mustEqual(codeOf(error), codeOf(whole.error), "error of a stream that is not damaged")
  if (answer === "same" || (answer === "unless-error" && error === undefined)) {
    mustEqual(contentOf(response, victim), contentOf(whole.response, victim), "content")
  }
  if (answer === "unless-error" && error !== undefined && whole.error === undefined) {
    must(
      AgentScopeError.is(error) && error.retryable,
      `an answer that broke off failed with ${told(error)}, not retryable`,
    )
  }
}

const codeOf = (error: unknown): unknown => (AgentScopeError.is(error) ? error.code : error)
const contentOf = ({ content }: ChatResponse, { body }: Victim): unknown =>
  content.map((block) => comparable(block, body))

/** An `AgentScopeError`, or an answer that makes sense. */
function checkTyped({ response, error }: Outcome): void {
  if (error !== undefined) {
    must(AgentScopeError.is(error), `the call failed with something that is no AgentScopeError: ${told(error)}`)
    mustEqual(response.stopReason, "error", "stopReason of partial() after a failure")
  }
  for (const { id, name } of toolUsesOf(response))
    must(id !== "" && name !== "", `a call without id or name: ${JSON.stringify({ id, name })}`)
  const { inputTokens = 0, outputTokens = 0 } = response.usage ?? {}
  must(inputTokens >= 0 && outputTokens >= 0, `usage makes no sense: ${JSON.stringify(response.usage)}`)
}
