import { getEventListeners } from "node:events"
import { AgentScopeError, replaceAmbient } from "@agentscope-ts/message"
import { type ChatModel, withRetry } from "@agentscope-ts/model"
import { type Cassette, isNdjson } from "../cassette.ts"
import { startReplayServer } from "../replay-server.ts"
import { type MemoryAnswer, memoryFetch, type SentRequest } from "./answer-from-memory.ts"
import { callOnce, requestFor } from "./call.ts"
import { checkAnswer } from "./check-answer.ts"
import type { ConformanceCheck } from "./conformance-check.ts"
import { expectationOf, must, mustEqual, told } from "./expectation.ts"
import { isStream } from "./find-cassettes.ts"
import type { ModelConformanceSuite } from "./model-suite.ts"
import { failureOfCall } from "./within.ts"

/** What holds for a call whatever the model answers; `cassette` is an answer without an error. */
export function callChecks(suite: ModelConformanceSuite, cassette: Cassette): ConformanceCheck[] {
  const request = requestFor(cassette, suite)
  const { status, headers, body } = cassette.response
  const answer: MemoryAnswer = { status, headers, pieces: [Buffer.from(body)] }
  const memory = (...answers: readonly MemoryAnswer[]): { model: ChatModel; sent: readonly SentRequest[] } => {
    const { fetch, sent } = memoryFetch(...answers)
    return { model: suite.create({ url: "http://127.0.0.1:9", fetch, live: false, cassette }), sent }
  }
  const call = (model: ChatModel, signal?: AbortSignal): Promise<unknown> =>
    isStream(cassette) ? model.stream({ ...request, signal }).response : model.generate({ ...request, signal })
  const tooMany = (wait: string): MemoryAnswer => ({
    status: 429,
    headers: { "content-type": "application/json", "retry-after": wait },
    pieces: [Buffer.from(JSON.stringify({ error: { message: "rate limit reached", type: "rate_limit_error" } }))],
  })

  const checks: Record<string, () => Promise<void>> = {
    "`generate` makes a request that does not stream, `stream` one that does": async () => {
      const kinds: SentRequest[] = []
      for (const streaming of [true, false]) {
        const { model, sent } = memory(answer)
        const once = withRetry(model, { maxRetries: 0 })
        // the answer is of one kind: what counts is what was asked
        await failureOfCall(streaming ? once.stream(request).response : once.generate(request))
        must(sent[0] !== undefined, "no request was sent through `fetch`")
        kinds.push(sent[0])
      }
      const [stream, generate] = kinds as [SentRequest, SentRequest]
      must(asksForStream(stream) || !sameRequest(stream, generate), "`stream` sent a request that does not stream")
      must(!asksForStream(generate), "`generate` sent a streaming request")
    },
    "a call refused for too many requests is made again": async () => {
      await using server = await startReplayServer(cassette, { failFirst: 1, failStatus: 429 })
      const model = suite.create({ url: server.url, fetch: globalThis.fetch, live: true, cassette })
      await call(withRetry(model, { maxRetries: 2 }))
      mustEqual(server.requests.length, 2, "requests")
    },
    "a retry waits as long as the provider asked, and no longer than sensible": async () => {
      const waits: number[] = []
      const sleep = (ms: number): Promise<void> => Promise.resolve(void waits.push(ms))
      const restore = replaceAmbient({ sleep })
      try {
        const { model } = memory(tooMany("7"), answer)
        await call(withRetry(model, { maxRetries: 2 }))
        mustEqual(waits, [7000], "waits in milliseconds")
        const { model: patient, sent } = memory(tooMany("86400"), answer)
        const error = await failureOfCall(call(withRetry(patient, { maxRetries: 2 })))
        must(AgentScopeError.is(error, "rate_limited"), `a wait of a day ended with ${told(error)}`)
        must(typeof error.details["retryAt"] === "string", "the error does not say when to come back (details.retryAt)")
        mustEqual(sent.length, 1, "requests when the wait is a day")
      } finally {
        restore()
      }
    },
    "no listener stays on a signal that many calls share": async () => {
      const { signal } = new AbortController()
      const before = getEventListeners(signal, "abort").length
      const { model } = memory(answer)
      for (let i = 0; i < 50; i++) {
        // a driven stream has the caller's very signal
        if (isStream(cassette)) await model.stream({ ...request, signal }).drive({})
        else await call(model, signal)
        mustEqual(getEventListeners(signal, "abort").length, before, `listeners after ${i + 1} calls`)
      }
    },
    "an aborted signal sends nothing": async () => {
      const { model, sent } = memory(answer)
      const error = await failureOfCall(call(model, AbortSignal.abort()))
      must(error !== undefined, "the call went through")
      mustEqual(sent.length, 0, "requests")
    },
  }
  const bare = withoutUsage(cassette, suite.usageKeys)
  // where no figures are found, or none are known to be, there is nothing to take away
  if (bare !== undefined) {
    checks["usage that the provider does not send stays absent"] = async () => {
      const { model } = memory({ status, headers, pieces: [Buffer.from(bare)] })
      const outcome = await callOnce(model, cassette, request)
      const expect = { ...expectationOf(cassette), usage: null }
      checkAnswer(outcome, { ...cassette, expect, response: { ...cassette.response, body: bare } })
    }
  }
  return Object.entries(checks).map(([name, run]) => ({ group: "a call", name, timeoutMs: 20_000, run }))
}

/** The marks by which the known wires ask for a stream. */
const asksForStream = ({ url, headers, body }: SentRequest): boolean =>
  /"stream"\s*:\s*true/.test(body) || /:streamGenerateContent/.test(url) || headers.get("x-dashscope-sse") === "enable"

const sameRequest = (a: SentRequest, b: SentRequest): boolean =>
  a.url === b.url && a.body === b.body && JSON.stringify([...a.headers]) === JSON.stringify([...b.headers])

const knownKeys = ["usage", "usageMetadata", "prompt_eval_count", "eval_count"]

/** The body with every figure about tokens taken out; undefined where there is none, or none can be read. */
function withoutUsage(cassette: Cassette, usageKeys: readonly string[] = knownKeys): string | undefined {
  let found = false
  const replacer = (key: string, value: unknown): unknown => {
    if (!usageKeys.includes(key)) return value
    found = true
    return undefined
  }
  const strip = (json: string): string => {
    try {
      return JSON.stringify(JSON.parse(json), replacer)
    } catch {
      return json
    }
  }
  const { body } = cassette.response
  const line = isNdjson(cassette) ? /^()(\{.*\})(\r?)$/gm : /^(data: ?)(\{.*\})(\r?)$/gm
  const byLines = () =>
    body.replace(line, (_, head: string, json: string, end: string) => `${head}${strip(json)}${end}`)
  const whole = isStream(cassette) ? undefined : strip(body)
  // some endpoints stream whatever they are asked
  const bare = whole === undefined || whole === body ? byLines() : whole
  return found ? bare : undefined
}
