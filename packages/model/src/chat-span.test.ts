import { replaceAmbient, userMsg } from "@agentscope-ts/message"
import { genAi, startSpan } from "@agentscope-ts/tracing"
import { SpanStatusCode } from "@opentelemetry/api"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { modelError } from "./errors/model-error.ts"
import { FakeModel, hanging, saying } from "./fixtures/fake-model.ts"
import { recordSpans } from "./fixtures/record-spans.ts"

const messages = [userMsg("Hi")]
const tools = [{ name: "now", description: "The time", parameters: { type: "object" } }]

describe("the chat span", () => {
  test("covers a call with its retries, and says what was asked and what came", async () => {
    const restore = replaceAmbient({ sleep: () => Promise.resolve() })
    using recording = await recordSpans()
    const model = new FakeModel(
      (_, sink, call) => {
        if (call === 0) throw modelError({ code: "overloaded", message: "busy" })
        sink.emit({ type: "text_delta", index: 0, text: "{}" })
        const usage = { inputTokens: 40, outputTokens: 10, cachedInputTokens: 30, reasoningTokens: 5 }
        sink.finish({ id: "resp_1", stopReason: "stop", usage })
      },
      { params: { temperature: 0.5, maxTokens: 100 } },
    )
    await model.stream({ messages, tools, schema: z.object({}), params: { topP: 0.9, stop: ["END"], seed: 7 } })
      .response
    restore()
    const [span] = recording.spans()
    expect(recording.spans()).toHaveLength(1)
    expect(span?.name).toBe("chat fake-1")
    expect(span?.attributes).toEqual({
      [genAi.operationName]: "chat",
      [genAi.providerName]: "fake",
      [genAi.requestModel]: "fake-1",
      [genAi.requestTemperature]: 0.5,
      [genAi.requestTopP]: 0.9,
      [genAi.requestMaxTokens]: 100,
      [genAi.requestStopSequences]: ["END"],
      [genAi.requestSeed]: 7,
      [genAi.requestStream]: true,
      [genAi.outputType]: "json",
      [genAi.responseId]: "resp_1",
      [genAi.responseModel]: "fake-1",
      [genAi.responseFinishReasons]: ["stop"],
      [genAi.responseTimeToFirstChunk]: expect.any(Number),
      [genAi.usageInputTokens]: 40,
      [genAi.usageOutputTokens]: 10,
      [genAi.usageCacheReadInputTokens]: 30,
      [genAi.usageReasoningOutputTokens]: 5,
    })
  })

  test("holds content only when it may", async () => {
    using recording = await recordSpans({ capture: true })
    await new FakeModel(saying("Hello")).generate({ messages, tools })
    const attributes = recording.spans()[0]?.attributes ?? {}
    expect(attributes[genAi.inputMessages]).toContain("Hi")
    expect(attributes[genAi.outputMessages]).toContain("Hello")
    expect(attributes[genAi.toolDefinitions]).toContain("The time")
  })

  test("fails with the error's code, and ends, also when the consumer leaves", async () => {
    using recording = await recordSpans()
    await expect(
      new FakeModel(() => {
        throw modelError({ code: "authentication", message: "no" })
      }).generate({ messages }),
    ).rejects.toThrow()
    const stream = new FakeModel(hanging()).stream({ messages })
    for await (const _ of stream) break
    await stream.response.catch(() => {})
    const [failed, left] = recording.spans()
    expect([failed?.attributes[genAi.errorType], left?.attributes[genAi.errorType]]).toEqual([
      "authentication",
      "aborted",
    ])
    expect(failed?.status.code).toBe(SpanStatusCode.ERROR)
  })

  test("FR-36 is a child of the span in which the stream is first used, and the parent of what the provider does", async () => {
    using recording = await recordSpans()
    const model = new FakeModel(async (request, sink) => {
      await Promise.resolve()
      await model.formatter.format(request.messages)
      saying("Hello")(request, sink)
    })
    const agent = startSpan("invoke_agent", "Friday")
    const stream = model.stream({ messages })
    const driven = agent?.run(() => stream.drive({}))
    await driven
    agent?.end()
    const byName = (name: string) => recording.spans().find((span) => span.name === name)
    expect(recording.parentOf(byName("chat fake-1"))).toBe("invoke_agent Friday")
    expect(recording.parentOf(byName("format custom"))).toBe("chat fake-1")
  })

  test("is there from the first call on, when the SDK was registered before", async () => {
    using recording = await recordSpans({ load: false })
    await new FakeModel(saying("Hello")).generate({ messages })
    expect(recording.spans()).toHaveLength(1)
  })
})
