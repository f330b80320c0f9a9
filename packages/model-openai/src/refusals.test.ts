import { type Msg, textOf, userMsg } from "@agentscope-ts/message"
import type { ChatModel } from "@agentscope-ts/model"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { DeepSeekChatModel, OpenAIChatModel, OpenAIResponsesModel } from "./index.ts"

type Body = Record<string, unknown>
const schema = z.object({ city: z.string() })
const messages: readonly Msg[] = [userMsg("Where?")]
const chat = (message: object, finish_reason = "stop") => JSON.stringify({ choices: [{ message, finish_reason }] })
const inText = chat({ content: '{"city":"Oslo"}' })
const inTool = chat(
  { tool_calls: [{ id: "c", function: { name: "final_answer", arguments: '{"city":"Oslo"}' } }] },
  "tool_calls",
)
const responses = (item: object) => JSON.stringify({ id: "r", status: "completed", output: [item] })

/** A server that answers by what it is asked: an error's text, or an answer. */
function serverOf(answer: (body: Body) => { error: string } | string) {
  const asked: Body[] = []
  const fetch = ((_: string, init: RequestInit) => {
    const body = JSON.parse(init.body as string) as Body
    asked.push(body)
    const said = answer(body)
    if (typeof said === "string") return Promise.resolve(new Response(said))
    const error = { message: said.error, type: "invalid_request_error" }
    return Promise.resolve(new Response(JSON.stringify({ error }), { status: 400 }))
  }) as typeof globalThis.fetch
  const warned: { code: string; message: string }[] = []
  const sink = { onWarning: (warning: { code: string; message: string }) => void warned.push(warning) }
  return { fetch, asked, warned, sink }
}

const formatOf = (body: Body) => (body["response_format"] as { type?: string } | undefined)?.type
const options = { model: "m", apiKey: "k", maxRetries: 0 }

describe("structured answers", () => {
  it.each([
    "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
    "This model does not support response format `json_schema`.",
    "This response_format type is unavailable now",
    "response_format.type: Input should be 'text' or 'json_object'",
  ])("are asked for in JSON mode and words once this is said: %s", async (error) => {
    const { fetch, asked, warned, sink } = serverOf((body) => (formatOf(body) === "json_schema" ? { error } : inText))
    const model = new OpenAIChatModel({ ...options, fetch })
    expect((await model.generate({ messages, schema }, sink)).structured).toEqual({ city: "Oslo" })
    expect(asked.map(formatOf)).toEqual(["json_schema", "json_object"])
    expect(asked[1]?.["messages"]).toMatchObject([
      { role: "system", content: expect.stringContaining('"city"') as string },
      {},
    ])
    expect(warned).toMatchObject([{ code: "schema_fallback", message: expect.stringContaining(error) as string }])
    // it is remembered, and said once
    await model.generate({ messages, schema }, sink)
    expect(asked.map(formatOf)).toEqual(["json_schema", "json_object", "json_object"])
    expect(warned).toHaveLength(1)
  })

  it("are asked for by a tool that must be called where no format is taken, and come as text all the same", async () => {
    const { fetch, asked, warned, sink } = serverOf((body) =>
      formatOf(body) ? { error: "response_format is not supported" } : inTool,
    )
    const model = new OpenAIChatModel({ ...options, fetch })
    const answer = await model.generate({ messages, schema }, sink)
    expect(answer).toMatchObject({ structured: { city: "Oslo" }, stopReason: "stop" })
    expect(textOf(answer)).toBe('{"city":"Oslo"}')
    expect(asked[2]).toMatchObject({
      tools: [{ function: { name: "final_answer" } }],
      tool_choice: { type: "function", function: { name: "final_answer" } },
    })
    expect(warned).toHaveLength(2)
    const tools = [{ name: "look", parameters: { type: "object" } }] as const
    await model.generate({ messages, schema, tools }, sink)
    expect(asked[3]).toMatchObject({ tool_choice: "required" })
    expect(asked[3]?.["tools"]).toHaveLength(2)
  })

  it("are asked for in words where a tool cannot be forced", async () => {
    const { fetch, asked, warned, sink } = serverOf((body) => {
      if (formatOf(body)) return { error: "response_format is not supported" }
      return body["tool_choice"] ? { error: "tool_choice is not supported in thinking mode" } : inTool
    })
    const model = new OpenAIChatModel({ ...options, fetch })
    expect((await model.generate({ messages, schema }, sink)).structured).toEqual({ city: "Oslo" })
    expect(asked).toHaveLength(4)
    expect(asked[3]?.["messages"]).toMatchObject([
      { role: "system", content: expect.stringContaining("final_answer") as string },
      {},
    ])
    expect(warned.at(-1)?.code).toBe("forced_tool_choice")
  })

  it("are not asked for otherwise because of an error in the schema, or when there is no schema", async () => {
    const { fetch, asked } = serverOf(() => ({
      error: "Invalid schema for response_format 'response': 'x' is not supported",
    }))
    const model = new OpenAIChatModel({ ...options, fetch })
    await expect(model.generate({ messages, schema })).rejects.toMatchObject({ code: "invalid_request" })
    expect(asked).toHaveLength(1)
    const other = serverOf(() => ({ error: "response_format is not supported" }))
    await expect(new OpenAIChatModel({ ...options, fetch: other.fetch }).generate({ messages })).rejects.toThrow(
      /response_format/,
    )
    expect(other.asked).toHaveLength(1)
  })

  it("of requests that run at the same time take one step together", async () => {
    const { fetch, asked } = serverOf((body) =>
      formatOf(body) === "json_schema" ? { error: "json_schema: not supported" } : inText,
    )
    const model = new OpenAIChatModel({ ...options, fetch })
    await Promise.all([1, 2, 3].map(() => model.generate({ messages, schema })))
    expect(asked.map(formatOf).toSorted()).toEqual(["json_object", "json_schema"].flatMap((mode) => [mode, mode, mode]))
  })

  it("fall back in the same way over the Responses API", async () => {
    const { fetch, asked } = serverOf((body) =>
      body["text"]
        ? { error: "Unsupported parameter: 'text.format'" }
        : responses({ type: "function_call", call_id: "c", name: "final_answer", arguments: '{"city":"Oslo"}' }),
    )
    const model = new OpenAIResponsesModel({ ...options, fetch })
    expect((await model.generate({ messages, schema })).structured).toEqual({ city: "Oslo" })
    expect(asked.map(({ text }) => (text as { format?: { type: string } } | undefined)?.format?.type)).toEqual([
      "json_schema",
      "json_object",
      undefined,
    ])
    expect(asked[2]).toMatchObject({ tool_choice: { type: "function", name: "final_answer" } })
    expect(asked[1]?.["input"]).toMatchObject([{ role: "system" }, { role: "user" }])
  })

  it("of DeepSeek are asked for in JSON mode at once", async () => {
    const { fetch, asked } = serverOf(() => inText)
    await new DeepSeekChatModel({ ...options, fetch }).generate({ messages, schema })
    expect(asked.map(formatOf)).toEqual(["json_object"])
  })
})

describe("structured answers that are no objects", () => {
  const union = z.discriminatedUnion("k", [
    z.object({ k: z.literal("a"), a: z.string() }),
    z.object({ k: z.literal("b"), b: z.number() }),
  ])

  it.each([
    ["a list", z.array(z.string()), ["x"]],
    ["a word", z.enum(["yes", "no"]), "yes"],
    ["one of several objects", union, { k: "a", a: "x" }],
  ] as const)("come all the same: %s", async (_, shape, value) => {
    for (const Model of [OpenAIChatModel, DeepSeekChatModel, OpenAIResponsesModel]) {
      for (const said of [JSON.stringify({ value }), JSON.stringify(value)]) {
        const answer =
          Model === OpenAIResponsesModel
            ? responses({ type: "message", content: [{ type: "output_text", text: said }] })
            : chat({ content: said })
        const { fetch, asked } = serverOf(() => answer)
        const model = new Model({ ...options, fetch }) as ChatModel
        const got = await model.generate({ messages, schema: shape })
        expect(got.structured).toEqual(value)
        expect(textOf(got)).toBe(JSON.stringify(value))
        const format = JSON.stringify(asked[0])
        expect(format).toMatch(/\\?"type\\?":\\?"object\\?",\\?"properties\\?":\{\\?"value\\?"/)
      }
    }
  })
})

describe("reasoning that a model does not know", () => {
  it("is left out at once where the model is known not to reason", async () => {
    for (const [Model, answer] of [
      [OpenAIChatModel, inText],
      [OpenAIResponsesModel, responses({ type: "message", content: [{ type: "output_text", text: "Hi" }] })],
    ] as const) {
      for (const reasoning of ["low", "off"] as const) {
        const { fetch, asked, warned, sink } = serverOf(() => answer)
        const model = new Model({ ...options, model: "gpt-4o", fetch, params: { reasoning } }) as ChatModel
        await model.generate({ messages }, sink)
        expect(asked[0]).not.toHaveProperty("reasoning")
        expect(asked[0]).not.toHaveProperty("reasoning_effort")
        // not to reason is what it does
        expect(warned.map(({ code }) => code)).toEqual(reasoning === "off" ? [] : ["unsupported_param"])
      }
    }
  })

  it.each([
    ["reasoning_effort", "Unrecognized request argument supplied: reasoning_effort"],
    ["reasoning_effort", "reasoning_effort: Extra inputs are not permitted"],
    ["reasoning", "Unsupported parameter: 'reasoning.effort' is not supported with this model."],
  ])("is left out once it is refused: %s, %s", async (field, error) => {
    const chats = field === "reasoning_effort"
    const answer = chats ? inText : responses({ type: "message", content: [{ type: "output_text", text: "Hi" }] })
    const { fetch, asked, warned, sink } = serverOf((body) => (field in body ? { error } : answer))
    const Model = chats ? OpenAIChatModel : OpenAIResponsesModel
    const model = new Model({ ...options, fetch, params: { reasoning: "low" } }) as ChatModel
    for (let i = 0; i < 2; i++) await model.generate({ messages }, sink)
    expect(asked).toHaveLength(3)
    expect(warned.map(({ code }) => code)).toEqual(["unsupported_param", "unsupported_param"])
  })

  it("keeps the efforts that a model has where one is refused", async () => {
    const error =
      "Unsupported value: 'reasoning_effort' does not support 'none' with this model. Supported values are: 'minimal', 'low', 'medium', and 'high'."
    const { fetch, asked, sink, warned } = serverOf((body) =>
      body["reasoning_effort"] === "none" ? { error } : inText,
    )
    const model = new OpenAIChatModel({ ...options, fetch })
    for (const reasoning of ["off", "low", "off"] as const) {
      await model.generate({ messages, params: { reasoning } }, sink)
    }
    expect(asked.map((body) => body["reasoning_effort"])).toEqual(["none", undefined, "low", undefined])
    expect(new Set(warned.map(({ code }) => code))).toEqual(new Set(["unsupported_param"]))
  })
})

describe("the field that limits an answer", () => {
  it.each([
    ["max_tokens", "max_completion_tokens", "vllm"],
    ["max_completion_tokens", "max_tokens", "openai"],
  ])("is another one where %s is refused", async (name, other, provider) => {
    for (const error of [
      `Unsupported parameter: '${name}' is not supported with this model. Use '${other}' instead.`,
      `Unrecognized request argument supplied: ${name}`,
      `${name}: Extra inputs are not permitted`,
    ]) {
      const { fetch, asked, warned, sink } = serverOf((body) => (name in body ? { error } : inText))
      const at = { provider, baseURL: "https://h/v1" }
      const model = new OpenAIChatModel({ ...options, ...at, fetch, params: { maxTokens: 7 } })
      for (let i = 0; i < 2; i++) await model.generate({ messages }, sink)
      expect(asked.map((body) => body[other])).toEqual([undefined, 7, 7])
      expect(warned).toEqual([])
    }
  })
})

describe("a tool that must be called", () => {
  const tools = [{ name: "look", parameters: { type: "object" } }] as const
  const refuse = (body: Body) => body["tool_choice"] !== "auto" && { error: "does not support this tool_choice" }

  it("is asked for in words of DeepSeek when it thinks, at once, and of others once they refuse", async () => {
    for (const toolChoice of ["required", { name: "look" }] as const) {
      for (const [model, first] of [
        [
          (fetch: typeof globalThis.fetch) => new DeepSeekChatModel({ ...options, model: "deepseek-reasoner", fetch }),
          1,
        ],
        [
          (fetch: typeof globalThis.fetch) =>
            new DeepSeekChatModel({ ...options, params: { reasoning: "low" }, fetch }),
          1,
        ],
        [(fetch: typeof globalThis.fetch) => new OpenAIChatModel({ ...options, fetch }), 2],
      ] as const) {
        const { fetch, asked, warned, sink } = serverOf((body) => refuse(body) || chat({ content: "Hi" }))
        const made = model(fetch)
        for (let i = 0; i < 2; i++) await made.generate({ messages, tools, toolChoice }, sink)
        expect(asked).toHaveLength(first + 1)
        expect(asked.at(-1)).toMatchObject({ tool_choice: "auto" })
        const [said] = (asked.at(-1)?.["messages"] ?? []) as readonly { role: string; content: string }[]
        expect(said?.role).toBe("system")
        expect(said?.content).toContain(toolChoice === "required" ? "one of the tools" : 'the tool "look"')
        expect(warned.map(({ code }) => code)).toEqual(["forced_tool_choice", "forced_tool_choice"])
      }
    }
  })

  it("is as it was for DeepSeek that does not think", async () => {
    const { fetch, asked } = serverOf(() => chat({ content: "Hi" }))
    await new DeepSeekChatModel({ ...options, fetch }).generate({ messages, tools, toolChoice: "required" })
    expect(asked[0]).toMatchObject({ tool_choice: "required" })
  })
})

describe("settings that a model refuses", () => {
  it.each([
    [
      "temperature",
      "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
    ],
    ["temperature", "Unsupported parameter: 'temperature' is not supported with this model."],
    ["stop", "Unsupported parameter: 'stop' is not supported with this model."],
    ["stop", "Argument not supported on this model: stop"],
  ])("%s is left out with a warning, and not sent again: %s", async (name, error) => {
    const { fetch, asked, warned, sink } = serverOf((body) => (name in body ? { error } : inText))
    const model = new OpenAIChatModel({ ...options, fetch, params: { temperature: 0, stop: ["x"], seed: 1 } })
    for (let i = 0; i < 2; i++) expect(textOf(await model.generate({ messages }, sink))).not.toBe("")
    expect(asked).toHaveLength(3)
    expect(asked[2]).not.toHaveProperty(name)
    expect(asked[2]).toHaveProperty("seed", 1)
    // each call that asks for it is told
    expect(warned.map(({ code }) => code)).toEqual(["unsupported_param", "unsupported_param"])
    await model.generate({ messages, params: { temperature: 0, stop: ["x"] } }, sink)
    expect(asked).toHaveLength(4)
  })

  it("other errors are told as they are, at once", async () => {
    for (const error of [
      "max_tokens is too large: 99",
      "Invalid 'temperature': above maximum",
      "Unsupported value: 'messages[0].role'",
    ]) {
      const { fetch, asked } = serverOf(() => ({ error }))
      const model = new OpenAIChatModel({ ...options, fetch, params: { temperature: 9 } })
      await expect(model.generate({ messages })).rejects.toThrow(error)
      expect(asked).toHaveLength(1)
    }
  })

  it("a field of the user's own is sent as long as the user says so", async () => {
    const { fetch, asked } = serverOf(() => ({ error: "Unsupported parameter: 'temperature' is not supported" }))
    const model = new OpenAIChatModel({ ...options, fetch, params: { extraBody: { temperature: 0 } } })
    await expect(model.generate({ messages })).rejects.toThrow(/temperature/)
    expect(asked).toHaveLength(2)
  })

  it("encrypted reasoning is not asked for again of a model that has none", async () => {
    const { fetch, asked } = serverOf((body) =>
      body["include"]
        ? { error: "Encrypted content is not supported with this model." }
        : responses({ type: "message", content: [{ type: "output_text", text: "Hi" }] }),
    )
    const model = new OpenAIResponsesModel({ ...options, fetch })
    expect(textOf(await model.generate({ messages }))).toBe("Hi")
    expect(asked).toHaveLength(2)
  })
})
