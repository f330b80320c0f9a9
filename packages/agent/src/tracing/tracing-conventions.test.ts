import type { ServerResponse } from "node:http"
import { toolResult, userMsg } from "@agentscope-ts/message"
import { genAiConventions, hasCorpus, scriptedServer } from "@agentscope-ts/fixtures"
import { EmbeddingModel } from "@agentscope-ts/model"
import { OpenAIChatModel, OpenAIEmbeddingModel, OpenAIResponsesModel } from "@agentscope-ts/model-openai"
import { MemorySessionStore } from "@agentscope-ts/state"
import { ScriptedModel } from "@agentscope-ts/testing"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { z } from "zod"
import { ManualModel, stalls, text } from "../fixtures/manual-model.ts"
import { recordTelemetry } from "../fixtures/record-telemetry.ts"
import { add, askExpert, named, refundTool } from "../fixtures/tools.ts"
import { agentAsTool, ReActAgent, UserAgent } from "../index.ts"

const secret = "the password of the vault is swordfish"
const usage = { inputTokens: 5, outputTokens: 2 }
const adding = { toolUses: [{ name: "add", input: { a: 1, b: 2 } }], usage }
const base = { name: "Friday", systemPrompt: `Help. ${secret}` }
const scripted = (...steps: ConstructorParameters<typeof ScriptedModel>[0]) => new ScriptedModel(steps)

class Vectors extends EmbeddingModel {
  constructor(private readonly fails = false) {
    super({ provider: "local", model: "embed", dimensions: 2, maxRetries: 0 })
  }
  protected override async embedBatch(inputs: readonly string[]) {
    if (this.fails) throw new RangeError(secret)
    return { embeddings: inputs.map(() => [1, 2]), tokens: 3 }
  }
}

const chunk = (delta: object, more: object = {}) =>
  `data: ${JSON.stringify({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    model: "gpt-5-2025-08-07",
    service_tier: "default",
    system_fingerprint: "fp_1",
    choices: [{ index: 0, delta, ...more }],
    usage: {
      prompt_tokens: 9,
      completion_tokens: 4,
      prompt_tokens_details: { cached_tokens: 3 },
      completion_tokens_details: { reasoning_tokens: 2 },
    },
  })}\n\n`

function answerAsOpenAI(response: ServerResponse, url: string, body: string): void {
  if (body.includes("please fail")) {
    response.writeHead(401, { "content-type": "application/json" })
    response.end(JSON.stringify({ error: { message: `no access: ${secret}`, code: "invalid_api_key" } }))
    return
  }
  if (url.endsWith("/embeddings")) {
    response.writeHead(200, { "content-type": "application/json" })
    response.end(
      JSON.stringify({ data: [{ index: 0, embedding: [1, 2] }], usage: { prompt_tokens: 3 }, model: "embed-2" }),
    )
    return
  }
  if (body.includes('"stream":true')) {
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.end(`${chunk({ content: secret })}${chunk({ content: "!" }, { finish_reason: "stop" })}data: [DONE]\n\n`)
    return
  }
  response.writeHead(200, { "content-type": "application/json" })
  response.end(
    JSON.stringify({
      id: "chatcmpl-2",
      model: "gpt-5-2025-08-07",
      service_tier: "default",
      choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 9, completion_tokens: 4 },
    }),
  )
}

/** All ways that a run can go: each ends, whatever comes of it. */
async function runs(url: string): Promise<void> {
  const openai = { model: "gpt-5", apiKey: "k", baseURL: `${url}/v1`, maxRetries: 0 }
  const params = { temperature: 0, seed: 7, stop: ["END"], serviceTier: "default", maxTokens: 50 } as const
  const chat = new OpenAIChatModel({ ...openai, params })
  const agentOf = (model: ScriptedModel | ManualModel | OpenAIChatModel, more: object = {}) =>
    new ReActAgent({ ...base, model, ...more })
  const asked = userMsg(secret)

  // a provider: streamed, JSON, structured, refused, left early, aborted, embeddings
  await agentOf(chat).reply(asked)
  await agentOf(chat, { streaming: false }).reply(asked)
  await chat.generate({ messages: [asked], schema: z.object({}) }).catch(() => {})
  await agentOf(chat)
    .reply(`${secret}: please fail`)
    .catch(() => {})
  await new OpenAIResponsesModel(openai).generate({ messages: [userMsg("please fail")] }).catch(() => {})
  for await (const _ of chat.stream({ messages: [asked] })) break
  const aborting = AbortSignal.abort(new Error(secret))
  await chat.generate({ messages: [asked], signal: aborting }).catch(() => {})
  await new OpenAIEmbeddingModel({ ...openai, dimensions: 2 }).embed([secret]).catch(() => {})
  await new Vectors().embed([secret])
  await new Vectors(true).embed([secret]).catch(() => {})

  // tools: side by side, failing, unknown, with arguments that are none
  const fails = named("fails", () => {
    throw new TypeError(secret)
  })
  const several = [
    { name: "add", input: { a: 1, b: 2 } },
    { name: "fails", input: { said: secret } },
    { name: "absent", input: {} },
    { name: "add", input: "{oops" },
  ]
  await agentOf(scripted({ toolUses: several, usage }, "done"), { tools: [add, fails] }).reply(asked)

  // suspended and resumed, approved, interrupted, left early, structured, with a session, a user, an agent within
  const expert = agentOf(scripted({ toolUses: [{ name: "ask_expert", input: { question: secret } }] }, "done"), {
    tools: [askExpert],
  })
  const waiting = await expert.reply(asked)
  await expert.resume({ results: waiting.pending.map(({ toolUse }) => toolResult(toolUse, secret)) })
  const [refund] = [refundTool()]
  await agentOf(scripted({ toolUses: [{ name: "refund", input: { amount: 3 } }] }, "done"), {
    tools: [refund.refund],
  }).reply(asked)
  const stalled = agentOf(new ManualModel(stalls(...text(0, secret))))
  for await (const event of stalled.stream(asked)) if (event.type === "text_delta") stalled.interrupt(secret)
  const left = agentOf(new ManualModel(stalls(...text(0, secret)))).stream(asked)
  for await (const event of left) if (event.type === "text_delta") break
  await left.reply.catch(() => {})
  await agentOf(scripted({ structured: { at: secret } })).reply(asked, { schema: z.object({ at: z.string() }) })
  await agentOf(scripted("hi"), { session: { store: new MemorySessionStore(), id: "s1" } }).reply(asked)
  await new UserAgent({ name: "Ann", input: async () => secret }).reply(asked)
  const inner = new ReActAgent({ name: "Inner", systemPrompt: secret, model: scripted(adding, secret), tools: [add] })
  const outer = scripted({ toolUses: [{ name: "Inner", input: { message: secret } }], usage }, "done")
  await agentOf(outer, { tools: [agentAsTool(inner, { description: "asks" })] }).reply(asked)
}

describe.runIf(hasCorpus)("emitted spans and metrics check clean against the convention table", () => {
  let server: Awaited<ReturnType<typeof scriptedServer>>
  beforeAll(async () => {
    server = await scriptedServer((response, request, count) =>
      answerAsOpenAI(response, request.url ?? "", server.bodies[count - 1] ?? ""),
    )
  })
  afterAll(() => server[Symbol.asyncDispose]())

  test.each([true, false])("content captured: %s", async (content) => {
    using telemetry = await recordTelemetry({ content })
    await runs(server.url)
    const { faultsOfMetric, faultsOfSpan } = genAiConventions()
    const spans = telemetry.spans()
    expect(spans.flatMap(faultsOfSpan)).toEqual([])
    const emitted = await telemetry.metrics()
    expect(emitted.flatMap(faultsOfMetric)).toEqual([])
    expect(emitted.map(({ name }) => name).toSorted()).toEqual([
      "gen_ai.client.operation.duration",
      "gen_ai.client.operation.time_to_first_chunk",
      "gen_ai.client.token.usage",
    ])
    expect(telemetry.open()).toBe(0)
    const first = (name: string) => new Set(spans.map((span) => span.name.split(" ", 1)[0])).has(name)
    for (const name of ["chat", "invoke_agent", "execute_tool", "format", "embeddings"]) expect(first(name)).toBe(true)
    const said = spans
      .map(({ attributes, events, status }) => JSON.stringify({ attributes, events, status }))
      .join("\n")
    expect(said.includes("swordfish")).toBe(content)
    // what is required on a condition
    const streamed = spans.find(({ attributes }) => attributes["gen_ai.response.id"] === "chatcmpl-1")
    expect(streamed?.attributes).toMatchObject({
      "gen_ai.request.stream": true,
      "gen_ai.request.seed": 7,
      "gen_ai.response.model": "gpt-5-2025-08-07",
      "gen_ai.response.time_to_first_chunk": expect.any(Number),
      "openai.api.type": "chat_completions",
      "openai.request.service_tier": "default",
      "openai.response.service_tier": "default",
      "openai.response.system_fingerprint": "fp_1",
      "server.address": "127.0.0.1",
      "server.port": Number(new URL(server.url).port),
      "gen_ai.usage.input_tokens": 9,
    })
    const inSession = spans.filter(({ attributes }) => attributes["gen_ai.conversation.id"] === "s1")
    expect(inSession.map(({ name }) => name).toSorted()).toEqual(["chat scripted", "invoke_agent Friday"])
  })
})
