import {
  AgentScopeError,
  blocksOf,
  type ChatUsage,
  type StopReason,
  textOf,
  toolUsesOf,
  userMsg,
} from "@agentscope-ts/message"
import type { ChatResponse } from "@agentscope-ts/model"
import { describe, expect, it } from "vitest"
import {
  type Cassette,
  chatCassettes,
  hasCorpus,
  type Replay,
  startReplay,
  type ReplayOptions,
  replayModule,
} from "./fixtures/corpus.ts"
import { DeepSeekChatModel, OpenAIChatModel } from "./index.ts"

const cassettes = chatCassettes()
const soak = process.env["AGENTSCOPE_SOAK"] === "1"
const seeds = soak ? Array.from({ length: 40 }, (_, i) => i + 1) : [1, 2, 3, 4]
const modes: readonly Pick<ReplayOptions, "chunking" | "seed">[] = [
  { chunking: "whole" },
  { chunking: "event" },
  ...seeds.map((seed) => ({ chunking: "random" as const, seed })),
]

interface Outcome {
  readonly response: ChatResponse
  readonly error?: unknown
}

function modelFor({ provider, model }: Cassette, baseURL: string, fetch?: typeof globalThis.fetch) {
  const options = { model: model ?? "m", apiKey: "test-key", baseURL, maxRetries: 0, fetch }
  if (provider === "deepseek") return new DeepSeekChatModel(options)
  return new OpenAIChatModel({ ...options, provider })
}

/** Makes the request in the way it was recorded. */
async function run(cassette: Cassette, baseURL: string, fetch?: typeof globalThis.fetch): Promise<Outcome> {
  const model = modelFor(cassette, baseURL, fetch)
  const request = { messages: [userMsg("hello")] }
  if (!cassette.categories.includes("stream")) {
    try {
      return { response: await model.generate(request) }
    } catch (error) {
      return { response: model.stream(request).partial(), error }
    }
  }
  const stream = model.stream(request)
  try {
    return { response: await stream.response }
  } catch (error) {
    return { response: stream.partial(), error }
  }
}

/** What our terms make of the provider's figures: all input, and all output with reasoning. */
function usageIn({ expect: { usage } }: Cassette): Partial<ChatUsage> | undefined {
  if (!usage) return undefined
  const { input, output, total, cached, reasoning, cacheWrite } = usage
  const apart = total !== undefined && reasoning !== undefined && total === input + output + reasoning
  return {
    inputTokens: input,
    outputTokens: apart ? output + reasoning : output,
    ...(cached !== undefined && { cachedInputTokens: cached }),
    ...(reasoning !== undefined && { reasoningTokens: reasoning }),
    ...(cacheWrite !== undefined && { cacheWriteTokens: cacheWrite }),
  }
}

function stopIn({ expect: { stopReason, refusal, toolCalls } }: Cassette): StopReason {
  if (refusal !== undefined) return "refusal"
  if (toolCalls.length > 0 && stopReason === "stop") return "tool_use"
  return (
    ({ tool_calls: "tool_use", length: "length", content_filter: "content_filter" } as const)[stopReason ?? ""] ??
    "stop"
  )
}

const codes: Readonly<Record<number, readonly [code: string, retryable: boolean]>> = {
  200: ["server_error", true],
  400: ["invalid_request", false],
  401: ["authentication", false],
  402: ["quota_exceeded", false],
  429: ["rate_limited", true],
  500: ["server_error", true],
}

function check(cassette: Cassette, { response, error }: Outcome): void {
  const { text, thinking, toolCalls, usage, error: expected } = cassette.expect
  if (expected) {
    const overflow = expected.message?.includes("context length")
    const [code, retryable] = overflow ? ["context_overflow", false] : (codes[expected.status] ?? [])
    if (!AgentScopeError.is(error)) throw error ?? new AgentScopeError({ code: "missing", message: "no error came" })
    expect({ code: error.code, retryable: error.retryable }).toEqual({ code, retryable })
    // what follows "Bearer" is masked in every error
    expect(error.message).toContain(expected.message?.split("Bearer")[0])
    if (cassette.categories.includes("retry-after")) expect(error.details["retryAfterMs"]).toBeTypeOf("number")
  } else {
    if (error) throw error
    expect(response.stopReason).toBe(stopIn(cassette))
  }
  expect(textOf(response, "")).toBe(text)
  expect(
    blocksOf(response, "thinking")
      .map((block) => block.thinking)
      .join(""),
  ).toBe(thinking)
  const calls = toolUsesOf(response).map(({ id, name, input, rawInput }) => ({ id, name, input: rawInput ?? input }))
  expect(calls).toEqual(toolCalls.map((call) => ({ id: expect.any(String) as string, ...call })))
  if (usage === null) expect(response.usage).toBeUndefined()
  else {
    const { timeMs, costUsd: _, ...figures } = response.usage as ChatUsage
    expect(figures).toEqual(usageIn(cassette))
    expect(timeMs).toBeGreaterThanOrEqual(0)
  }
}

/** Answers from memory, piece by piece: what a server does, without its time. */
function fetchOf(
  { response: { status, headers, body } }: Cassette,
  pieces: readonly Buffer[],
): typeof globalThis.fetch {
  return async () => {
    let i = 0
    const stream = new ReadableStream({
      pull: (controller) => {
        const piece = pieces[i++]
        if (piece) controller.enqueue(piece)
        else controller.close()
      },
    })
    return new Response(body === "" ? null : stream, { status, headers })
  }
}

describe.skipIf(!hasCorpus)("recorded Chat Completions traffic", () => {
  it.each(modes)("is read as it was meant, cut by $chunking $seed", { timeout: 60_000 }, async (mode) => {
    for (const cassette of cassettes) {
      await using server: Replay = await startReplay({ cassettes: [cassette], ...mode })
      const outcome = await run(cassette, `${server.url}/v1`)
      try {
        check(cassette, outcome)
      } catch (error) {
        throw new Error(`${cassette.file}: ${(error as Error).message}`, { cause: error })
      }
    }
  })

  it("is read as it was meant, cut after every byte", { timeout: 60_000 }, async () => {
    const { split } = await replayModule()
    for (const cassette of cassettes) {
      const pieces = split(Buffer.from(cassette.response.body), { chunking: "byte" })
      check(cassette, await run(cassette, "http://127.0.0.1:9/v1", fetchOf(cassette, pieces)))
    }
  })

  it("is read as it was meant from a server that sends single bytes", { timeout: 120_000 }, async () => {
    for (const cassette of soak ? cassettes : cassettes.filter(({ response }) => response.body.length < 1500)) {
      await using server = await startReplay({ cassettes: [cassette], chunking: "byte" })
      check(cassette, await run(cassette, `${server.url}/v1`))
    }
  })
})
