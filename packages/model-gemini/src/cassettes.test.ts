import { type Cassette, cassettesOf, hasCorpus, replayModule } from "@agentscope-ts/fixtures"
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
import { memoryFetch } from "./fixtures/memory-fetch.ts"
import { GeminiChatModel } from "./index.ts"

const cassettes = cassettesOf("gemini-")
interface Outcome {
  readonly response: ChatResponse
  readonly error?: unknown
}

/** Makes the request in the way it was recorded. */
async function run(cassette: Cassette, baseURL: string, fetch?: typeof globalThis.fetch): Promise<Outcome> {
  const model = new GeminiChatModel({
    model: cassette.model ?? "gemini",
    apiKey: "test-key",
    baseURL,
    maxRetries: 0,
    fetch,
  })
  const request = { messages: [userMsg("hello")] }
  const stream = model.stream(request)
  try {
    return { response: await (cassette.api === "gemini-stream" ? stream.response : model.generate(request)) }
  } catch (error) {
    return { response: stream.partial(), error }
  }
}

/** What our terms make of the provider's figures: all input, and all output with reasoning. */
function usageIn({ expect: { usage } }: Cassette): Partial<ChatUsage> | undefined {
  if (!usage || !("input" in usage)) return undefined
  const { input, output = 0, cached, reasoning, toolUseInput = 0 } = usage
  return {
    inputTokens: input + toolUseInput,
    outputTokens: output + (reasoning ?? 0),
    ...(cached !== undefined && { cachedInputTokens: cached }),
    ...(reasoning !== undefined && { reasoningTokens: reasoning }),
  }
}

function stopIn({ expect: { stopReason, blockReason, toolCalls } }: Cassette): StopReason {
  if (blockReason !== undefined) return "content_filter"
  if (toolCalls.length > 0) return "tool_use"
  return stopReason === "MAX_TOKENS" ? "length" : "stop"
}

function check(cassette: Cassette, { response, error }: Outcome): void {
  const { text, thinking, toolCalls, signatures = 0, error: expected } = cassette.expect
  if (expected) {
    if (!AgentScopeError.is(error)) throw error ?? new AgentScopeError({ code: "missing", message: "no error came" })
    expect({ code: error.code, retryable: error.retryable }).toEqual({ code: "overloaded", retryable: true })
    expect(error.message).toContain(expected.message)
    return
  }
  if (error) throw error
  expect(response.stopReason).toBe(stopIn(cassette))
  expect(textOf(response, "")).toBe(text)
  expect(
    blocksOf(response, "thinking")
      .map((block) => block.thinking)
      .join(""),
  ).toBe(thinking)
  const calls = toolUsesOf(response).map(({ id, name, input, rawInput }) => ({ id, name, input: rawInput ?? input }))
  expect(calls).toEqual(toolCalls.map((call) => ({ id: expect.any(String) as string, ...call })))
  expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length)
  const signed = response.content.filter((block) => JSON.stringify(block).includes('"thoughtSignature"'))
  expect(signed.length).toBe(signatures)
  const { timeMs, costUsd: _, ...figures } = response.usage ?? ({} as ChatUsage)
  expect(response.usage && figures).toEqual(usageIn(cassette))
  if (response.usage) expect(timeMs).toBeGreaterThanOrEqual(0)
}

function checkNamed(cassette: Cassette, outcome: Outcome): void {
  try {
    check(cassette, outcome)
  } catch (error) {
    throw new Error(`${cassette.file}: ${(error as Error).message}`, { cause: error })
  }
}

describe.skipIf(!hasCorpus)("recorded Gemini and Vertex AI traffic", () => {
  it("is read as it was meant, with each signature on a block of its own", { timeout: 60_000 }, async () => {
    expect(cassettes.length).toBeGreaterThanOrEqual(21)
    const { split } = await replayModule()
    for (const cassette of cassettes) {
      const { status, headers, body } = cassette.response
      // of the longest a part is cut: what is in it are pages of a web search
      const pieces = split(Buffer.from(body), { chunking: body.length < 30_000 ? "byte" : "random" })
      const { fetch } = memoryFetch(pieces, { status, headers })
      checkNamed(cassette, await run(cassette, "http://127.0.0.1:9", fetch))
    }
  })

  it("is read the same when the chunks of a stream come as a list", async () => {
    for (const cassette of cassettes.filter(({ api }) => api === "gemini-stream")) {
      const chunks = cassette.response.body
        .split(/\r?\n\r?\n/)
        .filter(Boolean)
        .map((event) => event.slice(5))
      const { fetch } = memoryFetch(`[${chunks.join(",\r\n")}\n]`)
      checkNamed(cassette, await run(cassette, "http://127.0.0.1:9", fetch))
    }
  })
})
