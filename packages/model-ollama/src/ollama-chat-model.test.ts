import { assistantMsg, toolResultMsg, userMsg } from "@agentscope-ts/message"
import type { ChatRequest } from "@agentscope-ts/model"
import { startReplayServer } from "@agentscope-ts/testing"
import { Ollama } from "ollama"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { done, memoryFetch, streamOf } from "./fixtures/stream.ts"
import { OllamaChatModel, type OllamaOptions, type OllamaParams } from "./index.ts"

const messages = [userMsg("hi")]
const tool = (name: string) => ({ name, description: name, parameters: { type: "object", properties: {} } }) as const
const person = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const
const ann = streamOf([{ content: '{"name":"Ann"}' }])

beforeEach(() => {
  for (const name of ["OLLAMA_HOST", "OLLAMA_API_KEY"]) vi.stubEnv(name, "")
})
afterEach(() => {
  vi.unstubAllEnvs()
})

/** What is sent for a request, and what is warned of. */
async function sent(
  request: Partial<ChatRequest<OllamaParams>> = {},
  options: Partial<OllamaOptions> = {},
  { body = ann, stream = false } = {},
) {
  const { fetch, asked } = memoryFetch(body)
  const warnings: string[] = []
  const model = new OllamaChatModel({ model: "llama3", fetch, maxRetries: 0, ...options })
  const all = { messages, ...request }
  const sink = { onWarning: ({ code }: { code: string }) => void warnings.push(code) }
  const response = stream ? await model.stream(all).response : await model.generate(all, sink)
  const [first] = asked
  if (first === undefined) throw new TypeError("nothing was sent")
  return { ...first, response, warnings }
}

describe("a request", () => {
  it("goes to this machine, without a key", async () => {
    const { url, headers, body } = await sent()
    expect(url).toBe("http://127.0.0.1:11434/api/chat")
    expect(headers).not.toHaveProperty("authorization")
    expect(body).toEqual({ model: "llama3", stream: false, messages: [{ role: "user", content: "hi" }] })
    expect((await sent({}, {}, { stream: true })).body["stream"]).toBe(true)
  })

  it("goes where the variable or the option says, with what they carry", async () => {
    vi.stubEnv("OLLAMA_HOST", "box:7/sub")
    expect((await sent()).url).toBe("http://box:7/sub/api/chat")
    const named = await sent({}, { baseURL: "https://ann:p%40ss@h", headers: { "x-a": "1" } })
    expect(named.url).toBe("https://h/api/chat")
    expect(named.headers).toMatchObject({ "x-a": "1", authorization: `Basic ${btoa("ann:p@ss")}` })
    expect((await sent({}, { apiKey: "key" })).headers["authorization"]).toBe("Bearer key")
  })

  it.each(["", "/", "/v1", "/v1/", "/api", "/api/chat"])(
    "goes to its own API where the base URL ends with %j",
    async (ending) => {
      expect((await sent({}, { baseURL: `http://box:7/sub${ending}` })).url).toBe("http://box:7/sub/api/chat")
      vi.stubEnv("OLLAMA_HOST", `http://box:7${ending}`)
      expect((await sent()).url).toBe("http://box:7/api/chat")
    },
  )

  it("takes the key of the cloud there only", async () => {
    vi.stubEnv("OLLAMA_API_KEY", "cloud-key")
    expect((await sent({}, { baseURL: "ollama.com" })).headers["authorization"]).toBe("Bearer cloud-key")
    expect((await sent()).headers).not.toHaveProperty("authorization")
  })

  it("takes its settings under the API's names", async () => {
    const params: OllamaParams = {
      temperature: 0.5,
      topP: 0.9,
      topK: 20,
      minP: 0.1,
      maxTokens: 100,
      seed: 7,
      stop: ["END"],
      numCtx: 8192,
      repeatPenalty: 1.1,
      keepAlive: "10m",
      format: "json",
      options: { mirostat: 1, num_gpu: 2 },
      extraBody: { truncate: false },
    }
    const { body } = await sent({ params })
    expect(body).toMatchObject({ keep_alive: "10m", format: "json", truncate: false })
    expect(body["options"]).toEqual({
      temperature: 0.5,
      top_p: 0.9,
      top_k: 20,
      min_p: 0.1,
      num_predict: 100,
      seed: 7,
      stop: ["END"],
      num_ctx: 8192,
      repeat_penalty: 1.1,
      mirostat: 1,
      num_gpu: 2,
    })
    await expect(sent({ params: { numctx: 1 } as OllamaParams })).rejects.toThrow('Did you mean "numCtx"?')
    await expect(sent({ params: { extraBody: { messages: [] } } })).rejects.toMatchObject({ code: "invalid_request" })
  })

  it.each([
    ["llama3", "off", false, []],
    ["qwen3", "high", true, []],
    ["gpt-oss:20b", "low", "low", []],
    ["qwen3", { budgetTokens: 100 }, true, ["unsupported_param"]],
    ["gpt-oss:20b", { budgetTokens: 100 }, "low", ["unsupported_param"]],
    ["gpt-oss:20b", { budgetTokens: 4000 }, "medium", ["unsupported_param"]],
    ["llama3", undefined, undefined, []],
  ] as const)("of %s with reasoning %j thinks %j", async (model, reasoning, think, warnings) => {
    const { body, warnings: told } = await sent({ params: { reasoning } }, { model })
    expect(body["think"]).toEqual(think)
    expect(told).toEqual(warnings)
  })

  it("thinks as it is told directly", async () => {
    expect((await sent({ params: { reasoning: "off", think: "high" } })).body["think"]).toBe("high")
  })
})

describe("tools", () => {
  const offered = async (toolChoice?: ChatRequest["toolChoice"]) => {
    const { body, warnings } = await sent({ tools: [tool("a"), tool("b")], toolChoice })
    const names = (body["tools"] as { function: { name: string } }[] | undefined)?.map((item) => item.function.name)
    return { names, warnings }
  }

  it("are functions, and those offered that may be called", async () => {
    expect((await sent({ tools: [tool("a")] })).body["tools"]).toEqual([{ type: "function", function: tool("a") }])
    expect(await offered()).toEqual({ names: ["a", "b"], warnings: [] })
    expect(await offered("none")).toEqual({ names: undefined, warnings: [] })
    expect(await offered({ name: "b" })).toEqual({ names: ["b"], warnings: ["forced_tool_choice"] })
    expect(await offered("required")).toEqual({ names: ["a", "b"], warnings: ["forced_tool_choice"] })
    await expect(offered({ name: "c" })).rejects.toMatchObject({ code: "invalid_request" })
  })

  it("are named where the server looks, in their results", async () => {
    const call = { type: "tool_use", id: "c1", name: "look", input: { at: 1 } } as const
    const output = [{ type: "text", text: "a cat" }] as const
    const result = toolResultMsg([{ type: "tool_result", id: "c1", name: "look", output, state: "success" }])
    const { body } = await sent({ messages: [...messages, assistantMsg([call]), result] })
    expect(body.messages.slice(1)).toEqual([
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: { at: 1 } } }],
      },
      { role: "tool", tool_call_id: "c1", content: "a cat", tool_name: "look" },
    ])
    const several = await sent({ messages: [...messages, assistantMsg([call]), result] }, { formatter: "multi-agent" })
    expect(several.body.messages.at(-1)).toMatchObject({ role: "tool", tool_name: "look" })
  })
})

describe("a structured answer", () => {
  it("is of a form that the server holds the model to, without references", async () => {
    const schema = { type: "object", properties: { at: { $ref: "#/$defs/P" } }, $defs: { P: person } } as const
    const body = streamOf([{ content: '{"at":{"name":"Ann"}}' }])
    const { body: asked, response } = await sent({ schema, params: { format: "json" } }, {}, { body })
    expect(asked["format"]).toEqual({ type: "object", properties: { at: person } })
    expect(response.structured).toEqual({ at: { name: "Ann" } })
  })

  it("is a tool beside others that may be called first", async () => {
    const body = streamOf([{ tool_calls: [{ function: { name: "final_answer", arguments: { name: "Bob" } } }] }])
    const { body: asked, response } = await sent({ schema: person, tools: [tool("a")] }, {}, { body })
    expect(asked["tools"]).toMatchObject([{}, { function: { name: "final_answer" } }])
    expect(asked).not.toHaveProperty("format")
    expect(asked.messages.at(-1)?.["content"]).toContain('"final_answer"')
    expect(response).toMatchObject({ structured: { name: "Bob" }, stopReason: "stop" })
    expect((await sent({ schema: person, tools: [tool("a")], toolChoice: "none" })).body["format"]).toEqual(person)
  })
})

describe("an error", () => {
  const failed = async (status: number, error: string, model = "llama9") => {
    const init = { status, headers: { "content-type": "application/json" } }
    const { fetch } = memoryFetch(JSON.stringify({ error }), init)
    return await new OllamaChatModel({ model, fetch, maxRetries: 0 })
      .generate({ messages })
      .catch((error: unknown) => error)
  }

  it("says how to get a model that is not there", async () => {
    for (const told of ['model "llama9" not found, try pulling it first', "model 'llama9' not found"]) {
      const error = await failed(404, told)
      expect(error).toMatchObject({ code: "not_found", retryable: false, details: { status: 404 } })
      expect((error as Error).message).toContain("`ollama pull llama9`")
    }
  })

  it.each([
    [400, '"llama9" does not support tools', "invalid_request"],
    [500, "llama runner process has terminated", "server_error"],
    [503, "server busy, please try again. maximum pending requests exceeded", "overloaded"],
  ])("%i %s is the error that it is", async (status, message, code) => {
    const error = await failed(status, message)
    expect(error).toMatchObject({ code })
    expect((error as Error).message).toContain(message)
  })

  it("says what to start where nothing runs", async () => {
    const server = await startReplayServer([])
    await server.close()
    for (const fetch of [undefined, globalThis.fetch]) {
      const model = new OllamaChatModel({ model: "m", baseURL: server.url, maxRetries: 0, fetch })
      const error: unknown = await model.generate({ messages }).catch((error: unknown) => error)
      expect(error).toMatchObject({ code: "network", retryable: true })
      expect((error as Error).message).toContain(`No Ollama answers at ${server.url}`)
      expect((error as Error).message).toContain("`ollama serve`")
    }
  })
})

describe("a client of the official SDK", () => {
  it("gives its address, headers and fetch", async () => {
    const { fetch, asked } = memoryFetch(ann)
    const client = new Ollama({
      host: "http://box:7/sub",
      headers: { authorization: "Bearer theirs", "x-a": "1" },
      fetch,
    })
    const model = new OllamaChatModel({ model: "m", client })
    await model.generate({ messages })
    expect(asked[0]).toMatchObject({
      url: "http://box:7/sub/api/chat",
      headers: { authorization: "Bearer theirs", "x-a": "1" },
    })
  })

  it("answers over a real connection, by our transport where it has none of its own", async () => {
    const cassette = {
      provider: "ollama",
      api: "ollama-chat",
      model: "m",
      categories: ["stream"],
      request: { method: "POST", path: "/api/chat", body: null },
      response: { status: 200, headers: { "content-type": "application/x-ndjson" }, body: ann + done() },
    }
    await using server = await startReplayServer(cassette)
    const model = new OllamaChatModel({ model: "m", client: new Ollama({ host: server.url }) })
    expect((await model.stream({ messages, schema: person }).response).structured).toEqual({ name: "Ann" })
    expect(server.requests[0]?.headers["user-agent"]).toBe("agentscope-ts")
  })
})
