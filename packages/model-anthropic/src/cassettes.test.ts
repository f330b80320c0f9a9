import {
  type Cassette,
  cassettesOf,
  hasCorpus,
  replayModule,
  type ReplayOptions,
  startReplay,
} from "@agentscope-ts/fixtures"
import { AgentScopeError, blocksOf, type StopReason, textOf, toolUsesOf, userMsg } from "@agentscope-ts/message"
import type { ChatResponse } from "@agentscope-ts/model"
import { describe, expect, it } from "vitest"
import { AnthropicChatModel } from "./index.ts"

const cassettes = cassettesOf("anthropic-messages")
const soak = process.env["AGENTSCOPE_SOAK"] === "1"
const seeds = Array.from({ length: soak ? 40 : 4 }, (_, i) => i + 1)
const modes: readonly Pick<ReplayOptions, "chunking" | "seed">[] = [
  { chunking: "whole" },
  { chunking: "event" },
  ...seeds.map((seed) => ({ chunking: "random" as const, seed })),
]

interface Outcome {
  readonly response: ChatResponse
  readonly error?: unknown
}

/** Makes the request in the way it was recorded. */
async function run(cassette: Cassette, baseURL: string, fetch?: typeof globalThis.fetch): Promise<Outcome> {
  const options = { model: cassette.model ?? "claude-sonnet-4-5", apiKey: "test-key", baseURL, maxRetries: 0, fetch }
  const model = new AnthropicChatModel(options)
  const request = { messages: [userMsg("hello")] }
  const stream = model.stream(request)
  try {
    return { response: await (cassette.categories.includes("stream") ? stream.response : model.generate(request)) }
  } catch (error) {
    return { response: stream.partial(), error }
  }
}

const stops: Readonly<Record<string, StopReason>> = { tool_use: "tool_use", max_tokens: "length", refusal: "refusal" }
const codes: Readonly<Record<number, readonly [code: string, retryable: boolean]>> = {
  200: ["overloaded", true],
  400: ["invalid_request", false],
  401: ["authentication", false],
  404: ["not_found", false],
  413: ["context_overflow", false],
  429: ["rate_limited", true],
  500: ["server_error", true],
  529: ["overloaded", true],
}

function check({ expect: expected, categories }: Cassette, { response, error }: Outcome): void {
  if (expected.error) {
    if (!AgentScopeError.is(error)) throw error ?? new AgentScopeError({ code: "missing", message: "no error came" })
    const [code, retryable] = codes[expected.error.status] ?? []
    expect({ code: error.code, retryable: error.retryable }).toEqual({ code, retryable })
    expect(error.message).toContain(expected.error.message)
    if (categories.includes("retry-after")) expect(error.details["retryAfterMs"]).toBeTypeOf("number")
  } else {
    if (error) throw error
    expect(response.stopReason).toBe(stops[expected.stopReason ?? ""] ?? "stop")
  }
  expect(textOf(response, "")).toBe(expected.text)
  const thinking = blocksOf(response, "thinking")
  expect(thinking.map((block) => block.thinking).join("")).toBe(expected.thinking)
  const calls = toolUsesOf(response).map(({ id, name, input, rawInput }) => ({ id, name, input: rawInput ?? input }))
  expect(calls).toEqual(expected.toolCalls)
  const data = thinking.map(({ opaque }) => opaque?.data as Record<string, unknown> | undefined)
  const own = data.map((block) => block?.["type"]).filter((type) => type !== undefined)
  expect(own.filter((type) => type === "redacted_thinking").length).toBe(expected.redactedThinking ?? 0)
  expect(own.filter((type) => type !== "redacted_thinking")).toEqual(expected.serverTools ?? [])
  expect(data.filter((block) => typeof block?.["signature"] === "string").length).toBe(expected.signatures ?? 0)
  const cited = blocksOf(response, "text").flatMap(
    ({ opaque }) => (opaque?.data as { citations?: unknown[] })?.citations ?? [],
  )
  expect(cited.length).toBe(expected.citations ?? 0)
  if (expected.error || !expected.usage) return
  const { input, output, cached, cacheWrite } = expected.usage
  expect(response.usage).toMatchObject({
    inputTokens: input + (cached ?? 0) + (cacheWrite ?? 0),
    outputTokens: output,
    ...(cached !== undefined && { cachedInputTokens: cached }),
    ...(cacheWrite !== undefined && { cacheWriteTokens: cacheWrite }),
  })
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

describe.skipIf(!hasCorpus)("recorded Messages traffic", () => {
  it.each(modes)("is read as it was meant, cut by $chunking $seed", { timeout: 60_000 }, async (mode) => {
    for (const cassette of cassettes) {
      await using server = await startReplay({ cassettes: [cassette], ...mode })
      const outcome = await run(cassette, server.url)
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
      check(cassette, await run(cassette, "http://127.0.0.1:9", fetchOf(cassette, pieces)))
    }
  })
})
