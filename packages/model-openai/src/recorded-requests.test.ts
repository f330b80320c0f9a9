import { type Cassette, cassettesOf, hasCorpus, startReplay } from "@agentscope-ts/fixtures"
import type { ChatModel } from "@agentscope-ts/model"
import { describe, expect, it } from "vitest"
import { builtInOf, meaningOf, requestOf } from "./fixtures/recorded-request.ts"
import { DeepSeekChatModel, OpenAIChatModel, OpenAIResponsesModel } from "./index.ts"

type Body = Record<string, unknown>

/** What our model sends for what a recorded request says. */
async function sentFor(cassette: Cassette, body: Body): Promise<Body> {
  await using server = await startReplay({ cassettes: [cassette] })
  const { api, provider, model } = cassette
  const options = { model: model ?? "m", apiKey: "k", baseURL: `${server.url}/v1`, provider, maxRetries: 0 }
  const chosen: ChatModel =
    api === "openai-responses"
      ? new OpenAIResponsesModel({ ...options, params: { builtInTools: builtInOf(body) } })
      : provider === "deepseek"
        ? new DeepSeekChatModel(options)
        : new OpenAIChatModel(options)
  const request = requestOf(api, provider, body)
  // some answers are errors: what was asked is what is looked at
  await (body["stream"] ? chosen.stream(request).response : chosen.generate(request)).catch(() => undefined)
  return server.requests[0]?.body as Body
}

/** Mistral's older word, which its endpoint and `MistralChatModel` still know. */
const asToday = (choice: unknown): unknown => (choice === "any" ? "required" : choice)

describe.skipIf(!hasCorpus)("a recorded request is made again from its messages", () => {
  const recorded = [...cassettesOf("openai-chat"), ...cassettesOf("openai-responses")].filter(
    ({ request: { body } }) => body?.["messages"] ?? body?.["input"],
  )

  it.each(recorded.map((cassette) => [cassette.file, cassette] as const))("%s", async (_, cassette) => {
    const body = cassette.request.body as Body
    const sent = await sentFor(cassette, body)
    expect(meaningOf(cassette.api, sent)).toEqual(meaningOf(cassette.api, body))
    expect(sent["stream"] ?? false).toBe(body["stream"] ?? false)
    if (body["tools"]) expect(sent["tool_choice"]).toEqual(asToday(body["tool_choice"]) ?? undefined)
  })
})
