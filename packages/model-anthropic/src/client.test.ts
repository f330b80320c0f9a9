import Anthropic from "@anthropic-ai/sdk"
import { AgentScopeError, systemMsg, textOf, userMsg } from "@agentscope-ts/message"
import { describe, expect, it } from "vitest"
import { blockEvents, messageOf, streamOf } from "./fixtures/answers.ts"
import { AnthropicChatModel, type AnthropicClient } from "./index.ts"
import { startServer } from "./fixtures/server.ts"

const messages = [userMsg("hello")]
const text = blockEvents(0, { type: "text", text: "" }, { type: "text_delta", text: "from the SDK" })

describe("the SDK as client", () => {
  it("makes the requests with its key, place and headers; we read the answers", async () => {
    await using server = await startServer((body) =>
      body["stream"] ? streamOf([text]) : messageOf([{ type: "text", text: "whole" }]),
    )
    const client = new Anthropic({
      apiKey: "sdk-key",
      baseURL: server.url,
      defaultHeaders: { "x-own": "1" },
      maxRetries: 0,
    })
    const model = new AnthropicChatModel({ model: "claude-opus-4-6", client, params: { betas: ["b1"] } })
    expect(textOf(await model.stream({ messages }).response)).toBe("from the SDK")
    // with 64,000 tokens: the SDK refuses that without streaming unless it is given a timeout
    expect(textOf(await model.generate({ messages }))).toBe("whole")
    expect(server.requests.map(({ url }) => url)).toEqual(["/v1/messages", "/v1/messages"])
    expect(server.requests[0]?.headers).toMatchObject({
      authorization: "Bearer sdk-key",
      "x-own": "1",
      "anthropic-beta": "b1",
      "anthropic-version": "2023-06-01",
    })
    expect(server.requests[0]?.body).toMatchObject({ stream: true, cache_control: { type: "ephemeral" } })
  })

  it("counts tokens through it", async () => {
    await using server = await startServer(() => '{"input_tokens":7}')
    const client = new Anthropic({ apiKey: "k", baseURL: server.url, maxRetries: 0 })
    expect(
      await new AnthropicChatModel({ model: "m", client }).countTokens({ messages: [systemMsg("s"), ...messages] }),
    ).toBe(7)
    expect(server.requests[0]?.url).toBe("/v1/messages/count_tokens")
  })

  it("tells its errors as ours, and retries by itself", async () => {
    const error = '{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}'
    await using server = await startServer(() => error, 429, { "retry-after": "0" })
    const client = new Anthropic({ apiKey: "k", baseURL: server.url, maxRetries: 1 })
    await expect(new AnthropicChatModel({ model: "m", client }).generate({ messages })).rejects.toMatchObject({
      code: "rate_limited",
      retryable: true,
    })
    expect(server.requests).toHaveLength(2)
  })

  it("stops a request when it is aborted", async () => {
    await using server = await startServer(() => undefined)
    const client = new Anthropic({ apiKey: "k", baseURL: server.url })
    const controller = new AbortController()
    const call = new AnthropicChatModel({ model: "m", client }).generate({ messages, signal: controller.signal })
    await server.asked
    controller.abort()
    await expect(call).rejects.toSatisfy((thrown) => AgentScopeError.is(thrown, "aborted"))
  })

  it("reads a stream that only the SDK can, and marks no last message where the endpoint cannot", async () => {
    const bodies: Record<string, unknown>[] = []
    const events = streamOf([text]).matchAll(/data: (.*)/g)
    class AnthropicBedrock implements AnthropicClient {
      readonly messages = {
        create: (body: never) => {
          bodies.push(body)
          const headers = { "content-type": "application/vnd.amazon.eventstream" }
          async function* data() {
            for (const [, json] of events) yield JSON.parse(json as string) as unknown
          }
          return {
            asResponse: async () => new Response("\0\0", { headers }),
            withResponse: async () => ({ data: data() }),
          }
        },
      }
    }
    const model = new AnthropicChatModel({ model: "anthropic.claude-opus-4-6-v1", client: new AnthropicBedrock() })
    expect(textOf(await model.stream({ messages: [systemMsg("s"), ...messages] }).response)).toBe("from the SDK")
    expect(bodies[0]).not.toHaveProperty("cache_control")
    expect(bodies[0]).toMatchObject({ system: [{ cache_control: { type: "ephemeral" } }] })
    // it has no way to count
    expect(await model.countTokens({ messages })).toBeGreaterThan(0)
  })
})
