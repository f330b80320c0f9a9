import { scriptedServer } from "@agentscope-ts/fixtures"
import {
  assistantMsg,
  blocksOf,
  createMsg,
  type Msg,
  systemMsg,
  textOf,
  toolResult,
  toolResultMsg,
  toolUsesOf,
  userMsg,
} from "@agentscope-ts/message"
import { CharTokenCounter } from "@agentscope-ts/model"
import OpenAI, { AzureOpenAI } from "openai"
import { describe, expect, it } from "vitest"
import { memoryFetch } from "../fixtures/stream.ts"
import { OpenAIChatModel, OpenAIResponsesChatFormatter, OpenAIResponsesModel } from "../index.ts"

type Body = Record<string, unknown>
const input = (body: Body | undefined) => (body?.["input"] ?? []) as readonly Body[]
const types = (body: Body | undefined) => input(body).map((item) => item["type"] ?? item["role"])
const response = (output: readonly object[], rest: object = {}) =>
  JSON.stringify({ id: "resp_1", status: "completed", output, ...rest })
const reasoning = { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Look first." }] }
const sealed = { ...reasoning, encrypted_content: "gAAAAAB" }
const call = {
  type: "function_call",
  id: "fc_1",
  call_id: "call_1",
  name: "look",
  arguments: '{"at":"sky"}',
  status: "completed",
}
const message = {
  type: "message",
  id: "msg_1",
  role: "assistant",
  content: [{ type: "output_text", text: "Blue.", annotations: [] }],
}
const look = { name: "look", parameters: { type: "object", properties: { at: { type: "string" } } } } as const

/** Answers with these outputs, one after the other. */
function modelOf(
  answers: readonly string[],
  options: Partial<ConstructorParameters<typeof OpenAIResponsesModel>[0]> = {},
) {
  const asked: { url: string; headers: Record<string, string>; body: Body }[] = []
  const fetch = ((url: string, init: RequestInit) => {
    asked.push({ url, headers: init.headers as Record<string, string>, body: JSON.parse(init.body as string) as Body })
    return Promise.resolve(new Response(answers[Math.min(asked.length, answers.length) - 1]))
  }) as typeof globalThis.fetch
  return { model: new OpenAIResponsesModel({ model: "gpt-5-mini", apiKey: "k", fetch, ...options }), asked }
}

/** A turn with a tool: what the second request holds. */
async function secondRequest(output: readonly object[], options = {}, rest: object = {}): Promise<Body | undefined> {
  const { model, asked } = modelOf([response(output, rest), response([message])], options)
  const messages: Msg[] = [userMsg("hi")]
  const first = await model.generate({ messages, tools: [look] })
  const results = toolUsesOf(first).map((use) => toolResult(use, "blue"))
  // through JSON, as a saved session comes back
  const answer = JSON.parse(JSON.stringify(assistantMsg(first.content))) as Msg
  await model.generate({
    messages: [...messages, answer, ...(results.length > 0 ? [toolResultMsg(results)] : [userMsg("go on")])],
  })
  return asked[1]?.body
}

describe("FR-20 reasoning goes back with what it led to", () => {
  it("in order, with nothing between, and by its encrypted content alone where nothing is stored", async () => {
    const body = await secondRequest([sealed, call])
    expect(body).toMatchObject({ store: false, include: ["reasoning.encrypted_content"] })
    expect(input(body).slice(1)).toEqual([
      { type: "reasoning", summary: sealed.summary, encrypted_content: "gAAAAAB" },
      { type: "function_call", call_id: "call_1", name: "look", arguments: '{"at":"sky"}' },
      { type: "function_call_output", call_id: "call_1", output: "blue" },
    ])
  })

  it("with the ids of both where the provider stores them", async () => {
    const body = await secondRequest([reasoning, call], { params: { store: true } }, { store: true })
    expect(body).toMatchObject({ store: true })
    expect(body).not.toHaveProperty("include")
    expect(input(body).map(({ type, id }) => [type, id])).toEqual([
      [undefined, undefined],
      ["reasoning", "rs_1"],
      ["function_call", "fc_1"],
      ["function_call_output", undefined],
    ])
    const spoken = await secondRequest([reasoning, message], { params: { store: true } })
    expect(input(spoken).slice(1)).toEqual([
      reasoning,
      {
        type: "message",
        id: "msg_1",
        status: "completed",
        role: "assistant",
        content: [{ type: "output_text", text: "Blue." }],
      },
      { role: "user", content: [{ type: "input_text", text: "go on" }] },
    ])
  })

  it("neither alone: reasoning that nothing follows is left out, and a call without its reasoning has no id", async () => {
    const body = await secondRequest([reasoning])
    expect(types(body)).toEqual(["user", "user"])
    const { model, asked } = modelOf([response([message])])
    const opaque = { provider: "openai", data: { type: "function_call", id: "fc_1" } }
    const use = { type: "tool_use", id: "call_1", name: "look", input: {}, opaque } as const
    await model.generate({ messages: [assistantMsg([use]), toolResultMsg([toolResult(use, "x")])] })
    expect(input(asked[0]?.body)[0]).toEqual({
      type: "function_call",
      call_id: "call_1",
      name: "look",
      arguments: "{}",
    })
  })

  it("both or neither where the formatter shortens the history", async () => {
    const { model, asked } = modelOf([response([sealed, call]), response([message])], {
      formatter: new OpenAIResponsesChatFormatter({ maxTokens: 60, tokenCounter: new CharTokenCounter() }),
    })
    const history: Msg[] = [userMsg("hi")]
    const first = await model.generate({ messages: history, tools: [look] })
    const use = toolUsesOf(first)[0]
    if (!use) throw new Error("no call")
    const turn = [...history, assistantMsg(first.content), toolResultMsg([toolResult(use, "x")])]
    for (const [filler, kept] of [
      ["", true],
      ["x".repeat(200), false],
    ] as const) {
      await model.generate({ messages: [...turn, userMsg(`and now? ${filler}`)] })
      const sent = types(asked.at(-1)?.body)
      for (const type of ["reasoning", "function_call", "function_call_output"]) expect(sent.includes(type)).toBe(kept)
    }
  })

  it("not to another provider, and not as what Chat Completions would take for its own", async () => {
    const { model } = modelOf([response([sealed, call])])
    const { content } = await model.generate({ messages: [userMsg("hi")], tools: [look] })
    const use = toolUsesOf({ content })[0]
    if (!use) throw new Error("no call")
    const messages = [userMsg("hi"), assistantMsg(content), toolResultMsg([toolResult(use, "x")])]
    const { fetch, asked } = memoryFetch(
      JSON.stringify({ choices: [{ message: { content: "ok" }, finish_reason: "stop" }] }),
    )
    await new OpenAIChatModel({ model: "m", apiKey: "k", fetch }).generate({ messages })
    const foreign = modelOf([response([message])], { provider: "xai", baseURL: "https://x.test/v1" })
    await foreign.model.generate({ messages })
    for (const { body } of [...asked, ...foreign.asked]) expect(JSON.stringify(body)).not.toContain("gAAAAAB")
  })
})

describe("what the provider gave goes back", () => {
  it("calls of its own tools, phases and citations, where they stood", async () => {
    const search = { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "x" } }
    const annotations = [{ type: "url_citation", url: "https://x.test", title: "X", start_index: 0, end_index: 4 }]
    const said = { ...message, phase: "final_answer", content: [{ type: "output_text", text: "Blue.", annotations }] }
    const body = await secondRequest([sealed, search, said])
    expect(input(body).slice(1, -1)).toEqual([
      { type: "reasoning", summary: sealed.summary, encrypted_content: "gAAAAAB" },
      search,
      { role: "assistant", phase: "final_answer", content: [{ type: "output_text", text: "Blue.", annotations }] },
    ])
  })

  it("a free-text call and its result, as such", async () => {
    const free = { type: "custom_tool_call", id: "ct_1", call_id: "call_1", name: "look", input: "SELECT 1" }
    const params = { builtInTools: [{ type: "custom", name: "look", format: { type: "text" } }] }
    const body = await secondRequest([free], { params })
    expect(body?.["tools"]).toEqual(params.builtInTools)
    expect(input(body).slice(1)).toEqual([
      { type: "custom_tool_call", call_id: "call_1", name: "look", input: "SELECT 1" },
      { type: "custom_tool_call_output", call_id: "call_1", output: "blue" },
    ])
  })

  it("a picture that was made, whole", async () => {
    const made = { type: "image_generation_call", id: "ig_1", status: "completed", result: "iVBORw0KGgo=" }
    expect(input(await secondRequest([made]))[1]).toEqual(made)
  })

  it("the name of a tool's namespace", async () => {
    const body = await secondRequest([{ ...call, namespace: "crm" }])
    expect(input(body)[1]).toMatchObject({ type: "function_call", name: "look", namespace: "crm" })
  })
})

describe("a refusal", () => {
  it("is a stop reason with its words", async () => {
    const { model } = modelOf([response([{ type: "message", content: [{ type: "refusal", refusal: "No." }] }])])
    expect(await model.generate({ messages: [userMsg("hi")] })).toMatchObject({
      stopReason: "refusal",
      refusal: "No.",
      content: [],
    })
  })
})

describe("what the API takes no form of", () => {
  it("is left out with a warning: sounds and videos", async () => {
    const { model, asked } = modelOf([response([message])])
    const warned: string[] = []
    const onWarning = ({ message }: { message: string }) => void warned.push(message)
    const source = { type: "url", url: "https://x.test/a.wav" } as const
    const content = [{ type: "audio", source } as const, { type: "text", text: "What is it?" } as const]
    await model.generate({ messages: [createMsg({ name: "user", role: "user", content })] }, { onWarning })
    expect(input(asked[0]?.body)).toEqual([{ role: "user", content: [{ type: "input_text", text: "What is it?" }] }])
    expect(warned).toEqual([expect.stringContaining('"audio"') as string])
  })
})

describe("requests", () => {
  it("go to the endpoint that options and environment name", async () => {
    const { model, asked } = modelOf([response([message])])
    await model.generate({ messages: [systemMsg("Be brief."), userMsg("hi")] })
    expect(asked[0]).toMatchObject({
      url: "https://api.openai.com/v1/responses",
      headers: { authorization: "Bearer k" },
    })
    expect(asked[0]?.body).toEqual({
      model: "gpt-5-mini",
      store: false,
      include: ["reasoning.encrypted_content"],
      input: [
        { role: "system", content: [{ type: "input_text", text: "Be brief." }] },
        { role: "user", content: [{ type: "input_text", text: "hi" }] },
      ],
    })
  })

  it.each([
    ["https://r.openai.azure.com", undefined, "https://r.openai.azure.com/openai/v1/responses"],
    ["https://r.openai.azure.com/openai/v1/", undefined, "https://r.openai.azure.com/openai/v1/responses"],
    [
      "https://r.openai.azure.com",
      "2025-04-01-preview",
      "https://r.openai.azure.com/openai/responses?api-version=2025-04-01-preview",
    ],
  ])("of Azure at %s, version %s, go to %s", async (baseURL, apiVersion, url) => {
    const { model, asked } = modelOf([response([message])], { provider: "azure", baseURL, apiVersion })
    await model.generate({ messages: [userMsg("hi")] })
    expect(asked[0]).toMatchObject({ url, headers: { "api-key": "k" } })
    expect(asked[0]?.headers).not.toHaveProperty("authorization")
  })

  it("may go through the official client, streamed or not", async () => {
    const whole = response([message])
    const events = `data: ${JSON.stringify({ type: "response.completed", response: JSON.parse(whole) as object })}\n\n`
    await using server = await scriptedServer(
      (answer, { url }, count) => void answer.end(count === 1 ? whole : `${events}${url ? "" : " "}`),
    )
    const clients = [
      new OpenAI({ apiKey: "client-key", baseURL: `${server.url}/v1` }),
      new AzureOpenAI({ apiKey: "k", endpoint: server.url, apiVersion: "2025-04-01-preview" }),
    ] as const
    const model = new OpenAIResponsesModel({ model: "m", client: clients[0] })
    expect(textOf(await model.generate({ messages: [userMsg("hi")] }))).toBe("Blue.")
    expect(textOf(await model.stream({ messages: [userMsg("hi")] }).response)).toBe("Blue.")
    await new OpenAIResponsesModel({ model: "m", client: clients[1] }).stream({ messages: [userMsg("hi")] }).response
    expect(server.heads.map(({ url }) => url)).toEqual([
      "/v1/responses",
      "/v1/responses",
      "/openai/responses?api-version=2025-04-01-preview",
    ])
    expect(server.heads[0]?.headers.authorization).toBe("Bearer client-key")
  })

  it("through a client that has no Responses API are an error that says so", async () => {
    const client = { chat: new OpenAI({ apiKey: "k" }).chat }
    const model = new OpenAIResponsesModel({ model: "m", client })
    await expect(model.generate({ messages: [userMsg("hi")] })).rejects.toMatchObject({ code: "invalid_request" })
  })

  it("leave out what the API has no field for, and say so each time", async () => {
    const { model, asked } = modelOf([response([message])], { params: { seed: 1, stop: ["x"], temperature: 0 } })
    const warned: string[] = []
    const onWarning = ({ code, message }: { code: string; message: string }) => void warned.push(`${code} ${message}`)
    await model.generate({ messages: [userMsg("hi")] }, { onWarning })
    expect(warned).toEqual([
      expect.stringMatching(/^unsupported_param .*params\.seed/),
      expect.stringMatching(/^unsupported_param .*params\.stop/),
    ])
    expect(asked[0]?.body).toMatchObject({ temperature: 0 })
    expect(asked[0]?.body).not.toHaveProperty("seed")
  })

  it("FR-22 carry ids of at most 64 characters, the same for call and result, distinct where they begin alike", async () => {
    const { model, asked } = modelOf([response([message])])
    const ids = [
      "functions.Bash:0",
      `call_${"a".repeat(60)}|fc_${"b".repeat(24)}1`,
      `call_${"a".repeat(60)}|fc_${"b".repeat(24)}2`,
    ]
    const uses = ids.map((id) => ({ type: "tool_use", id, name: "look", input: {} }) as const)
    await model.generate({ messages: [assistantMsg(uses), toolResultMsg(uses.map((use) => toolResult(use, "x")))] })
    const sent = input(asked[0]?.body).map((item) => item["call_id"] as string)
    expect(sent.slice(0, 3)).toEqual(sent.slice(3))
    expect(sent[0]).toBe("functions.Bash:0")
    expect(new Set(sent).size).toBe(3)
    for (const id of sent) expect(id.length).toBeLessThanOrEqual(64)
  })
})

describe("a stored answer", () => {
  it("is gone on from with what is new: results of its calls, or what the user says", async () => {
    const { model, asked } = modelOf([response([reasoning, call]), response([message])], { params: { store: true } })
    const first = await model.generate({ messages: [userMsg("hi")], tools: [look] })
    const results = toolUsesOf(first).map((use) => toolResult(use, "blue"))
    const messages = [userMsg("hi"), assistantMsg(first.content), toolResultMsg(results)]
    await model.generate({ messages, params: { previousResponseId: first.id } })
    expect(asked[1]?.body).toMatchObject({
      store: true,
      previous_response_id: "resp_1",
      input: [{ type: "function_call_output", call_id: "call_1", output: "blue" }],
    })
  })
})

describe("FR-09 usage", () => {
  const usage = {
    input_tokens: 40,
    input_tokens_details: { cached_tokens: 8, cache_write_tokens: 0 },
    output_tokens: 10,
    output_tokens_details: { reasoning_tokens: 4 },
    total_tokens: 50,
  }

  it("is told as the provider counts: input with what was cached, output with reasoning", async () => {
    const { model } = modelOf([response([message], { usage })])
    const { timeMs: _, ...figures } = (await model.generate({ messages: [userMsg("hi")] })).usage ?? { timeMs: 0 }
    expect(figures).toMatchObject({ inputTokens: 40, outputTokens: 10, cachedInputTokens: 8, reasoningTokens: 4 })
    expect(figures).not.toHaveProperty("cacheWriteTokens")
  })

  it("is absent where none was sent, and never added up over a stream", async () => {
    const none = modelOf([response([message])])
    expect((await none.model.generate({ messages: [userMsg("hi")] })).usage).toBeUndefined()
    const event = (type: string) =>
      `data: ${JSON.stringify({ type, response: { id: "r", output: [message], usage } })}\n\n`
    const { model } = modelOf([event("response.in_progress") + event("response.completed")])
    expect((await model.stream({ messages: [userMsg("hi")] }).response).usage).toMatchObject({
      inputTokens: 40,
      outputTokens: 10,
    })
  })
})

describe("thinking", () => {
  it("is the summary of the reasoning, each part a block", async () => {
    const { model } = modelOf([response([{ ...sealed, summary: [{ text: "One" }, { text: "Two" }] }, message])])
    const { content } = await model.generate({ messages: [userMsg("hi")] })
    expect(blocksOf({ content }, "thinking").map(({ thinking }) => thinking)).toEqual(["One", "Two"])
  })

  it("FR-21 as a text goes to nobody here", async () => {
    const { model, asked } = modelOf([response([message])])
    await model.generate({
      messages: [
        assistantMsg([
          { type: "thinking", thinking: "hm" },
          { type: "text", text: "Hi" },
        ]),
        userMsg("go on"),
      ],
    })
    expect(types(asked[0]?.body)).toEqual(["assistant", "user"])
    expect(JSON.stringify(asked[0]?.body)).not.toContain("hm")
  })
})
