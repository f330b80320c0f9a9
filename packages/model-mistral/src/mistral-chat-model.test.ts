import {
  assistantMsg,
  type ContentBlock,
  type Msg,
  systemMsg,
  textOf,
  toolResult,
  toolResultMsg,
  type ToolUseBlock,
  userMsg,
} from "@agentscope-ts/message"
import { validateHistory } from "@agentscope-ts/model"
import { describe, expect, it } from "vitest"
import {
  MistralChatFormatter,
  MistralChatModel,
  mistralDialect,
  MistralMultiAgentFormatter,
  type MistralOptions,
} from "./index.ts"

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const wav = btoa(`RIFF${"\0".repeat(4)}WAVEfmt ${"\0".repeat(32)}`)
const use = (id: string): ToolUseBlock => ({ type: "tool_use", id, name: "look", input: { at: 1 } })
const call = use("EscTeQY62")
const seen = (id = "EscTeQY62", output: ContentBlock[] = [{ type: "text", text: "rain" }]): Msg =>
  toolResultMsg([toolResult({ ...call, id }, output as never)])

interface Body extends Record<string, unknown> {
  readonly messages: readonly (Record<string, unknown> & { readonly role: string })[]
}

/** A model whose requests are kept, and answered with one word. */
function modelWith(options: Partial<MistralOptions> = {}) {
  const bodies: Body[] = []
  const fetch = async (_: unknown, init?: RequestInit) => {
    bodies.push(JSON.parse(init?.body as string) as Body)
    return Response.json({ id: "1", choices: [{ index: 0, message: { content: "ok" }, finish_reason: "stop" }] })
  }
  const model = new MistralChatModel({ model: "mistral-large-latest", apiKey: "k", fetch, ...options })
  return { model, bodies }
}

async function sent(messages: readonly Msg[], options: Partial<MistralOptions> = {}): Promise<Body> {
  const { model, bodies } = modelWith(options)
  await model.generate({ messages })
  return bodies[0] as Body
}

describe("MistralChatModel", () => {
  it("calls the fields of a request by Mistral's names", async () => {
    const { model, bodies } = modelWith({ params: { seed: 7, maxTokens: 5, stop: ["x"], parallelToolCalls: false } })
    const tools = [{ name: "look", parameters: { type: "object" } }]
    await model.generate({ messages: [userMsg("hi")], tools, toolChoice: "required" })
    await model.generate({ messages: [userMsg("hi")], tools, toolChoice: { name: "look" } })
    await model.stream({ messages: [userMsg("hi")] }).response.catch(() => {})
    expect(bodies[0]).toEqual({
      model: "mistral-large-latest",
      max_tokens: 5,
      stop: ["x"],
      random_seed: 7,
      parallel_tool_calls: false,
      tool_choice: "any",
      tools: [{ type: "function", function: { name: "look", parameters: { type: "object" } } }],
      messages: [{ role: "user", content: "hi" }],
    })
    expect(bodies[1]?.["tool_choice"]).toEqual({ type: "function", function: { name: "look" } })
    expect(bodies[2]).toEqual({
      model: "mistral-large-latest",
      stream: true,
      max_tokens: 5,
      stop: ["x"],
      random_seed: 7,
      messages: [{ role: "user", content: "hi" }],
    })
  })

  it("tells Magistral to reason by its prompt, and other models by an effort", async () => {
    const modes = ["low", "off"] as const
    for (const reasoning of modes) {
      const magistral = await sent([userMsg("hi")], { model: "magistral-medium-latest", params: { reasoning } })
      expect(magistral["prompt_mode"]).toBe(reasoning === "off" ? null : "reasoning")
      expect(magistral).not.toHaveProperty("reasoning_effort")
      const other = await sent([userMsg("hi")], { model: "mistral-small-latest", params: { reasoning } })
      expect(other["reasoning_effort"]).toBe(reasoning === "off" ? "none" : "low")
    }
    expect(await sent([userMsg("hi")], { model: "magistral-medium-latest" })).not.toHaveProperty("prompt_mode")
  })

  it("warns of a setting that Mistral does not know, and leaves it out", async () => {
    const { model, bodies } = modelWith({ params: { user: "u", modalities: ["text"] } })
    const warnings: string[] = []
    await model.generate(
      { messages: [userMsg("hi")] },
      { onWarning: ({ code, message }) => warnings.push(`${code}: ${message}`) },
    )
    expect(Object.keys(bodies[0] ?? {})).toEqual(["model", "messages"])
    expect(warnings).toEqual(["user", "modalities"].map((name) => expect.stringContaining(`no \`${name}\``) as string))
  })

  it("takes its key from MISTRAL_API_KEY, and says so without one", () => {
    expect(() => new MistralChatModel({ model: "m" })).toThrow(/MISTRAL_API_KEY/)
    expect(() => new MistralChatModel(undefined as never)).toThrow(/needs the name of a model/)
  })

  it("goes to api.mistral.ai", async () => {
    let url = ""
    const fetch = async (input: unknown) => {
      url = String(input)
      return Response.json({ choices: [{ message: { content: "ok" }, finish_reason: "stop" }] })
    }
    const response = await new MistralChatModel({ model: "m", apiKey: "k", fetch }).generate({
      messages: [userMsg("x")],
    })
    expect(url).toBe("https://api.mistral.ai/v1/chat/completions")
    expect(textOf(response)).toBe("ok")
  })
})

describe("messages for Mistral", () => {
  const reasoned = assistantMsg([{ type: "thinking", thinking: "Hm." }, { type: "text", text: "Let me see." }, call])

  it("carry thinking back to a model that reasons, in parts and in order", async () => {
    const messages = [userMsg("hi"), reasoned, seen()]
    const { messages: wire } = await sent(messages, { model: "magistral-small-latest" })
    expect(wire[1]).toEqual({
      role: "assistant",
      content: [
        { type: "thinking", thinking: [{ type: "text", text: "Hm." }] },
        { type: "text", text: "Let me see." },
      ],
      tool_calls: [{ id: call.id, type: "function", function: { name: "look", arguments: '{"at":1}' } }],
    })
  })

  it("carry none to a model that does not", async () => {
    const { messages: wire } = await sent([userMsg("hi"), reasoned, seen()])
    expect(wire[1]?.["content"]).toBe("Let me see.")
    const { messages: asked } = await sent([userMsg("hi"), reasoned, seen()], { params: { reasoning: "high" } })
    expect(asked[1]?.["content"]).toHaveLength(2)
  })

  it("have ids of nine letters and digits, the same for call and result", async () => {
    const ids = ["functions.Bash:0", `call_${"x".repeat(90)}1`, `call_${"x".repeat(90)}2`, "EscTeQY62"]
    const messages = [
      userMsg("hi"),
      assistantMsg(ids.map(use)),
      toolResultMsg(ids.map((id) => toolResult({ ...call, id }, "rain"))),
    ]
    const { messages: wire } = await sent(messages)
    const calls = ((wire[1]?.["tool_calls"] ?? []) as readonly { id: string }[]).map(({ id }) => id)
    expect(new Set(calls).size).toBe(4)
    for (const id of calls) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/)
    expect(calls[3]).toBe("EscTeQY62")
    expect(wire.slice(2).map((message) => message["tool_call_id"])).toEqual(calls)
    expect((await sent(messages)).messages).toEqual(wire)
    expect(validateHistory(messages, mistralDialect)).not.toEqual([])
  })

  it("keep the order of roles that Mistral takes, however the history came about", async () => {
    const messages = [
      systemMsg("Be brief."),
      userMsg("hi"),
      assistantMsg([call]),
      seen(),
      userMsg("Stop: something else."),
      assistantMsg("Yes?"),
      systemMsg("The user is in a hurry."),
      userMsg("Quick!"),
    ]
    for (const formatter of [
      "chat",
      "multi-agent",
      new MistralChatFormatter({ promoteToolResultImages: true }),
    ] as const) {
      const { messages: wire } = await sent(messages, { formatter })
      expectOrder(wire)
      expect(JSON.stringify(wire)).toContain("in a hurry")
    }
    expect((await new MistralChatFormatter().format(messages)).map(({ role }) => role)).toEqual(
      (await sent(messages)).messages.map(({ role }) => role),
    )
  })

  it("show pictures of several results after all of them", async () => {
    const image = { type: "image", source: { type: "base64", mediaType: "image/png", data: png } } as const
    const other = "abcdefgh1"
    const results = toolResultMsg([toolResult(call, [image]), toolResult({ ...call, id: other }, [image])])
    const options = { promoteToolResultImages: true, saveMedia: async () => "kept" }
    const apart = results.content.map((block) => ({ ...results, content: [block] }))
    for (const formatter of [new MistralChatFormatter(options), new MistralMultiAgentFormatter(options)]) {
      for (const told of [[results], apart]) {
        const history = [userMsg("hi"), assistantMsg([call, use(other)]), ...told, userMsg("and?")]
        const { messages: wire } = await sent(history, { formatter })
        expectOrder(wire)
        const roles = ["user", "assistant", "tool", "tool", "assistant", "user", "user", "user"]
        expect(wire.map(({ role }) => role)).toEqual(roles)
      }
    }
  })

  it("show pictures of results to a model that sees them, unasked", async () => {
    const image = { type: "image", source: { type: "url", url: "https://h/a.png" } } as const
    for (const [model, sees] of [
      ["mistral-small-latest", true],
      ["codestral-latest", false],
    ] as const) {
      const { messages: wire } = await sent([userMsg("hi"), assistantMsg([call]), seen(call.id, [image])], { model })
      expect(JSON.stringify(wire).includes('"image_url"')).toBe(sees)
    }
  })

  it("have the assistant's words after results once, between several speakers too", async () => {
    const messages = [userMsg("hi"), assistantMsg([call]), seen(), userMsg("Well?"), userMsg("Hm?", { name: "Bob" })]
    for (const formatter of ["chat", "multi-agent"] as const) {
      const { messages: wire } = await sent(messages, { formatter })
      expectOrder(wire)
      expect(JSON.stringify(wire).match(/I have the results/g)).toHaveLength(1)
    }
  })

  it("end with an answer's beginning that is marked as one", async () => {
    const messages = [userMsg("Three fruits"), assistantMsg("1. Apple\n2.")]
    const { model, bodies } = modelWith()
    const conversation = {}
    await model.generate({ messages, conversation })
    await model.generate({ messages: [...messages, userMsg("And?")], conversation })
    expect(bodies[0]?.messages[1]).toEqual({ role: "assistant", content: "1. Apple\n2.", prefix: true })
    expect(bodies[1]?.messages[1]).toEqual({ role: "assistant", content: "1. Apple\n2." })
  })

  it("show pictures, sounds and documents in Mistral's parts, without the speaker's name", async () => {
    const content: ContentBlock[] = [
      { type: "image", source: { type: "base64", mediaType: "image/png", data: png } },
      { type: "audio", source: { type: "base64", mediaType: "audio/wav", data: wav } },
      { type: "file", name: "a.pdf", source: { type: "base64", mediaType: "application/pdf", data: btoa("%PDF-1.4") } },
    ]
    const { messages: wire } = await sent([userMsg(content as never, { name: "Bob" })])
    expect(wire).toEqual([
      {
        role: "user",
        content: [
          { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } },
          { type: "input_audio", input_audio: wav },
          {
            type: "document_url",
            document_url: `data:application/pdf;base64,${btoa("%PDF-1.4")}`,
            document_name: "a.pdf",
          },
        ],
      },
    ])
  })
})

/** The rules of Mistral's own request validator. */
function expectOrder(wire: Body["messages"]): void {
  const after: Readonly<Record<string, readonly string[]>> = {
    system: ["user", "assistant", "system"],
    user: ["assistant", "system", "user"],
    assistant: ["assistant", "user", "tool"],
    tool: ["assistant", "tool"],
  }
  wire.slice(1).forEach(({ role }, i) => expect(after[wire[i]?.role ?? ""]).toContain(role))
}
