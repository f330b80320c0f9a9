import { getEventListeners } from "node:events"
import { replaceAmbient } from "@agentscope-ts/message"
import { genAi } from "@agentscope-ts/tracing"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { type EmbeddingBatch, EmbeddingModel } from "./embedding-model.ts"
import { modelError } from "./errors/model-error.ts"
import { recordSpans } from "./fixtures/record-spans.ts"

type Answer = (
  inputs: readonly string[],
  call: number,
  signal?: AbortSignal,
) => EmbeddingBatch | Promise<EmbeddingBatch>

class LengthModel extends EmbeddingModel {
  readonly batches: (readonly string[])[] = []
  readonly #answer: Answer

  constructor(
    batchSize?: number,
    answer: Answer = (inputs) => ({ embeddings: inputs.map((text) => [text.length]), tokens: 1 }),
  ) {
    super({ provider: "fake", model: "length-1", dimensions: 1, batchSize })
    this.#answer = answer
  }

  protected override async embedBatch(inputs: readonly string[], { signal }: { signal?: AbortSignal | undefined }) {
    this.batches.push(inputs)
    return this.#answer(inputs, this.batches.length - 1, signal)
  }
}

let restore: () => void
beforeEach(() => {
  restore = replaceAmbient({ sleep: () => Promise.resolve() })
})
afterEach(() => restore())

describe("EmbeddingModel", () => {
  test("gives one vector for each input, in order, in as many requests as it takes", async () => {
    const model = new LengthModel(2)
    const response = await model.embed(["a", "bb", "ccc", "dddd", "eeeee"])
    expect(response.embeddings).toEqual([[1], [2], [3], [4], [5]])
    expect(response.usage).toEqual({ tokens: 3, timeMs: expect.any(Number) })
    expect(model.batches.map(({ length }) => length)).toEqual([2, 2, 1])
  })

  test("sends nothing for nothing, and leaves tokens absent that were not told", async () => {
    const model = new LengthModel(undefined, (inputs) => ({ embeddings: inputs.map(() => [0]) }))
    expect((await model.embed([])).embeddings).toEqual([])
    expect(model.batches).toHaveLength(0)
    expect((await model.embed(["a"])).usage).toEqual({ timeMs: expect.any(Number) })
  })

  test("makes a failed request again, and only that one", async () => {
    const model = new LengthModel(1, (inputs, call) => {
      if (call === 1) throw modelError({ code: "rate_limited", message: "slow down" })
      return { embeddings: inputs.map((text) => [text.length]) }
    })
    expect((await model.embed(["a", "bb"])).embeddings).toEqual([[1], [2]])
    expect(model.batches).toEqual([["a"], ["bb"], ["bb"]])
  })

  test("too few vectors are a malformed response", async () => {
    const model = new LengthModel(undefined, () => ({ embeddings: [[1]] }))
    await expect(model.embed(["a", "b"])).rejects.toMatchObject({
      code: "malformed_response",
      message: "fake/length-1 answered 1 vectors for 2 inputs.",
    })
  })

  test("rejects as soon as the signal aborts, and leaves no listener", async () => {
    const controller = new AbortController()
    const model = new LengthModel(undefined, () => {
      queueMicrotask(() => controller.abort("enough"))
      return new Promise(() => {})
    })
    const failed = model.embed(["a"], { signal: controller.signal })
    await expect(failed).rejects.toMatchObject({ code: "aborted", cause: "enough" })
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0)
  })

  test("opens a span", async () => {
    using recording = await recordSpans()
    await new LengthModel().embed(["a"])
    await new LengthModel(undefined, () => ({ embeddings: [] })).embed(["a"]).catch(() => {})
    const [good, bad] = recording.spans()
    expect(good?.name).toBe("embeddings length-1")
    expect(good?.attributes).toMatchObject({
      [genAi.providerName]: "fake",
      [genAi.embeddingsDimensionCount]: 1,
      [genAi.usageInputTokens]: 1,
    })
    expect(bad?.attributes[genAi.errorType]).toBe("malformed_response")
  })
})
