import { userMsg } from "@agentscope-ts/message"
import { describe, expect, it } from "vitest"
import { chunk, memoryFetch, sse, streamOf } from "./fixtures/stream.ts"
import { OpenAIChatModel } from "./index.ts"

const request = { messages: [userMsg("hi")] }

function modelOf(text: string) {
  const { fetch, asked } = memoryFetch(text)
  return { model: new OpenAIChatModel({ model: "m", apiKey: "k", fetch, maxRetries: 0 }), asked }
}

describe("FR-09 usage", () => {
  const usage = (value: unknown, extra: object = {}) => sse({ id: "1", choices: [], usage: value, ...extra })
  const used = async (text: string) => {
    const { usage: found } = await modelOf(text).model.stream(request).response
    if (!found) return undefined
    const { timeMs, ...figures } = found
    expect(timeMs).toBeGreaterThanOrEqual(0)
    return figures
  }
  const end = streamOf([{ content: "a" }]).replace("data: [DONE]\n\n", "")

  it("is read from a last chunk without choices, and asked for", async () => {
    expect(await used(`${end}${usage({ prompt_tokens: 40, completion_tokens: 10 })}data: [DONE]\n\n`)).toEqual({
      inputTokens: 40,
      outputTokens: 10,
    })
    const { model, asked } = modelOf(end)
    await model.stream(request).response
    expect(asked[0]?.body).toMatchObject({ stream: true, stream_options: { include_usage: true } })
  })

  it("is taken once when every chunk tells it so far", async () => {
    const tell = (n: number) => sse({ ...chunk({ content: "x" }), usage: { prompt_tokens: 40, completion_tokens: n } })
    expect(await used(tell(1) + tell(15) + tell(30) + streamOf([]))).toEqual({ inputTokens: 40, outputTokens: 30 })
  })

  it("stays absent when nobody tells it", async () => {
    expect(await used(end)).toBeUndefined()
    expect(await used(end + usage(null))).toBeUndefined()
    expect(await used(end + usage({}))).toBeUndefined()
  })

  it.each([
    [
      "Groq's place",
      {},
      { x_groq: { usage: { prompt_tokens: 1, completion_tokens: 2 } } },
      { inputTokens: 1, outputTokens: 2 },
    ],
    [
      "details",
      {
        prompt_tokens: 9,
        completion_tokens: 5,
        prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 2 },
        completion_tokens_details: { reasoning_tokens: 3 },
      },
      {},
      { inputTokens: 9, outputTokens: 5, cachedInputTokens: 4, cacheWriteTokens: 2, reasoningTokens: 3 },
    ],
    [
      "DeepSeek's cache",
      { prompt_tokens: 9, completion_tokens: 5, prompt_cache_hit_tokens: 4 },
      {},
      { inputTokens: 9, outputTokens: 5, cachedInputTokens: 4 },
    ],
    [
      "Moonshot's cache",
      { prompt_tokens: 9, completion_tokens: 5, cached_tokens: 0 },
      {},
      { inputTokens: 9, outputTokens: 5, cachedInputTokens: 0 },
    ],
    [
      "reasoning that is left out of the output",
      { prompt_tokens: 10, completion_tokens: 5, total_tokens: 22, completion_tokens_details: { reasoning_tokens: 7 } },
      {},
      { inputTokens: 10, outputTokens: 12, reasoningTokens: 7 },
    ],
    [
      "nulls",
      {
        prompt_tokens: 9,
        completion_tokens: 5,
        prompt_tokens_details: null,
        completion_tokens_details: { reasoning_tokens: null },
      },
      {},
      { inputTokens: 9, outputTokens: 5 },
    ],
  ])("is read from %s", async (_, value, extra, expected) => {
    expect(await used(end + usage(value, extra))).toEqual(expected)
  })

  it("counts when it comes after [DONE]", async () => {
    expect(await used(`${end}data: [DONE]\n\n${usage({ prompt_tokens: 4, completion_tokens: 1 })}`)).toEqual({
      inputTokens: 4,
      outputTokens: 1,
    })
  })
})
