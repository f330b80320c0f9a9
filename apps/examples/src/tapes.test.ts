import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { agentAsTool, ReActAgent } from "@agentscope-ts/agent"
import { type AgentEvent, AgentScopeError, ambient, type Reply, textOf, userMsg } from "@agentscope-ts/message"
import { AnthropicChatModel } from "@agentscope-ts/model-anthropic"
import { OpenAIChatModel } from "@agentscope-ts/model-openai"
import { fanoutPipeline } from "@agentscope-ts/pipeline"
import { forkTape, recordTape, replayTape, type TapeEvent, type TapeReport } from "@agentscope-ts/testing"
import { tool, Toolkit } from "@agentscope-ts/tool"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { startMessages } from "./fixtures/loopback-anthropic.ts"
import { startLoopback, type WireRequest } from "./fixtures/loopback-openai.ts"
import { run } from "./fixtures/run-program.ts"

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tapes-"))
})
afterAll(() => rmSync(folder, { recursive: true }))

const linesOf = (file: string): TapeEvent[] =>
  readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => JSON.parse(line) as TapeEvent)

describe("19-tapes", () => {
  const noKey = { OPENAI_API_KEY: "", OPENAI_BASE_URL: "" }

  it("replays the tape that lies beside it, without a key and without a network", async () => {
    const { output, status } = await run("./19-tapes.ts", "http://127.0.0.1:9", ["--test-reporter=tap"], { env: noKey })
    expect(output).toContain("# pass 1")
    expect(status).toBe(0)
  })

  it("records against a server, and replays what it recorded", async () => {
    const cwd = mkdtempSync(join(folder, "program-"))
    const asked: number[] = []
    {
      await using server = await startLoopback((_, count) => {
        asked.push(count)
        return count === 1 ? { name: "add", arguments: '{"a":20,"b":22}' } : { text: "It is 42." }
      })
      const env = { RECORD: "1" }
      const { output, status } = await run("./19-tapes.ts", server.url, ["--test-reporter=tap"], { cwd, env })
      expect(output).toContain("# pass 1")
      expect(status).toBe(0)
    }
    expect(asked).toEqual([1, 2])
    expect(readFileSync(join(cwd, "tapes/add.jsonl"), "utf8")).not.toContain("sk-test")
    const again = await run("./19-tapes.ts", "http://127.0.0.1:9", ["--test-reporter=tap"], { cwd, env: noKey })
    expect(again.output).toContain("# pass 1")
  })
})

const add = tool({
  name: "add",
  description: "Add",
  input: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
})

async function eventsOf(agent: ReActAgent, question: string): Promise<AgentEvent[]> {
  const events: AgentEvent[] = []
  for await (const event of agent.stream(question)) events.push(event)
  return events
}

const openai = (baseURL?: string) =>
  new OpenAIChatModel({
    model: "gpt-5-mini",
    baseURL: baseURL && `${baseURL}/v1`,
    apiKey: baseURL && "sk-secret-0123456789",
  })

describe("an agent under a tape", () => {
  let executed = 0
  const slow = tool({
    name: "slow",
    description: "Takes its time",
    input: z.object({ ms: z.number() }),
    async execute({ ms }, { emit }) {
      executed++
      emit(`begun ${ms}`)
      await new Promise((resolve) => setTimeout(resolve, ms))
      return `${ms} at ${ambient().now()}`
    },
  })
  const ask = (baseURL?: string) =>
    eventsOf(
      new ReActAgent({ name: "Friday", systemPrompt: "Work.", model: openai(baseURL), tools: [slow, add] }),
      "Go.",
    )

  const answer = (_: WireRequest, count: number) =>
    count === 1
      ? {
          calls: [
            { name: "slow", arguments: '{"ms":40}' },
            { name: "slow", arguments: '{"ms":5}' },
            { name: "add", arguments: '{"a":1,"b":2}' },
          ],
        }
      : { text: "Done." }

  async function recorded(file: string): Promise<AgentEvent[]> {
    await using server = await startLoopback(answer)
    return await recordTape(file, () => ask(server.url))
  }

  it("gives the same events, ids, times and requests again, streamed and with parallel tools, and runs no tool", async () => {
    const file = join(folder, "parallel.jsonl")
    const first = await recorded(file)
    expect(executed).toBe(2)
    for (let i = 0; i < 3; i++) expect(await replayTape(file, () => ask())).toEqual(first)
    expect(executed).toBe(2)
    const kinds = first.map(({ type }) => type)
    expect(kinds.filter((kind) => kind === "tool_result")).toHaveLength(3)
    expect(readFileSync(file, "utf8")).not.toContain("sk-secret")
  })

  it("tells strictly where a run differs, and goes on leniently", async () => {
    const file = join(folder, "differs.jsonl")
    await recorded(file)
    const other = () =>
      eventsOf(new ReActAgent({ name: "Friday", systemPrompt: "Play.", model: openai(), tools: [slow, add] }), "Go.")
    const error = await replayTape(file, other).catch((thrown: unknown) => thrown)
    expect(AgentScopeError.is(error, "tape_diverged") && error.message).toContain(
      'messages[0].content[0].text: the tape has "Work.", the run "Play."',
    )
    let report: TapeReport | undefined
    const events = await replayTape(file, other, { mode: "lenient", onReport: (given) => (report = given) })
    expect(events.at(-1)).toMatchObject({ type: "reply_end", reply: { finishReason: "completed" } })
    expect(report?.divergences.map(({ kind }) => kind)).toEqual(["request", "request"])
    expect(report).toMatchObject({ recorded: 5, used: 5 })
  })

  it("is forked at the result of a tool: what follows is asked live", async () => {
    const file = join(folder, "fork.jsonl")
    await recorded(file)
    const at = linesOf(file).find((event) => event.type === "tool_result" && event.result.name === "add")?.at ?? 0
    await using server = await startLoopback((request) => ({
      text: `I saw ${JSON.stringify(request.messages.at(-1))}`,
    }))
    const change = (event: TapeEvent): TapeEvent =>
      event.type === "tool_result"
        ? { ...event, result: { ...event.result, output: [{ type: "text", text: "four" }] } }
        : event
    const events = await forkTape(file, { at, change }, () => ask(server.url))
    const last = events.at(-1)
    expect(last?.type === "reply_end" && textOf(last.reply)).toContain("four")
    expect(server.requests).toHaveLength(1)
    expect(executed).toBe(6)
  })

  it("is forked at an answer of the model: the tool that it calls now runs", async () => {
    const file = join(folder, "fork-model.jsonl")
    await recorded(file)
    const at = linesOf(file).find((event) => event.type === "response")?.at ?? 0
    await using server = await startLoopback(() => ({ text: "Nine." }))
    const change = (event: TapeEvent): TapeEvent =>
      event.type === "response"
        ? {
            ...event,
            body: event.body.map((piece) => (piece as string).replace(String.raw`\"b\":2`, String.raw`\"b\":8`)),
          }
        : event
    const events = await forkTape(file, { at, change }, () => ask(server.url))
    expect(events).toContainEqual(
      expect.objectContaining({ type: "tool_result", result: expect.objectContaining({ structured: 9 }) as unknown }),
    )
    expect(server.requests).toHaveLength(1)
  })
})

describe("several at once", () => {
  const helper = (baseURL?: string) => () =>
    new ReActAgent({ name: "helper", systemPrompt: "Help.", model: openai(baseURL) })
  const team = (baseURL?: string) =>
    ["Ann", "Ben", "Ann"].map(
      (name, i) =>
        new ReActAgent({
          name,
          systemPrompt: `You are ${name} ${i}.`,
          model: openai(baseURL),
          tools: [agentAsTool(helper(baseURL), { description: "Asks", name: "ask" })],
        }),
    )
  const delay = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
  const said = (request: WireRequest): ReturnType<Parameters<typeof startLoopback>[0]> => {
    const text = JSON.stringify(request.messages)
    if (text.includes("Help.")) return { text: `Help for ${/Question of \w+ \d/.exec(text)?.[0]}` }
    if (request.messages.at(-1)?.role === "tool")
      return { text: `Heard ${JSON.stringify(request.messages.at(-1)?.content)}` }
    const who = /You are (\w+ \d)/.exec(text)?.[1]
    return { name: "ask", arguments: JSON.stringify({ message: `Question of ${who}` }) }
  }

  it("agents beside each other, with agents below them, replay whatever the order", async () => {
    const file = join(folder, "team.jsonl")
    await using server = await startLoopback(said)
    const ask = (url: string | undefined, delays: readonly number[]) => async () => {
      const agents = team(url)
      return Promise.all(
        agents.map(async (agent, i) => {
          await delay(delays[i] ?? 0)
          return eventsOf(agent, "Go.")
        }),
      )
    }
    const first = await recordTape(file, ask(server.url, [0, 10, 20]))
    expect(await replayTape(file, ask(undefined, [0, 10, 20]))).toEqual(first)
    const turned = await replayTape(file, ask(undefined, [40, 20, 0]))
    const replies = (runs: readonly AgentEvent[][]) => runs.map((events) => (events.at(-1) as { reply: object }).reply)
    expect(replies(turned).map((reply) => textOf(reply as never))).toEqual(
      replies(first).map((reply) => textOf(reply as never)),
    )
    // whose name is his own has his own ids
    expect(turned[1]).toEqual(first[1])
  })

  it("is forked at what an agent below answered, which is then not asked", async () => {
    const file = join(folder, "forked-team.jsonl")
    await using server = await startLoopback(said)
    const ask = (url?: string) => () => eventsOf(team(url)[0] as ReActAgent, "Go.")
    await recordTape(file, ask(server.url))
    const asked = server.requests.length
    const at = linesOf(file).find(({ type }) => type === "tool_result")?.at ?? 0
    const change = (event: TapeEvent): TapeEvent =>
      JSON.parse(JSON.stringify(event).replaceAll("Help for", "No help for")) as TapeEvent
    const forked = await forkTape(file, { at, change }, ask(server.url))
    expect(textOf((forked.at(-1) as { reply: Reply }).reply)).toContain("No help for")
    expect(server.requests).toHaveLength(asked + 1)
  })

  it("a fan-out pipeline replays", async () => {
    const file = join(folder, "fanout.jsonl")
    await using server = await startLoopback(said)
    const ask = (url?: string) => () => fanoutPipeline(team(url), userMsg("Go."))
    const first = await recordTape(file, ask(server.url))
    expect(await replayTape(file, ask())).toEqual(first)
  })

  it("two tapes in one process hear of their own run alone, and what runs beside them of neither", async () => {
    const files = ["one", "two"].map((name) => join(folder, `${name}.jsonl`))
    await using server = await startLoopback((request) => ({ text: JSON.stringify(request.messages.at(-1)?.content) }))
    const ask = (question: string, url?: string) =>
      new ReActAgent({ name: "Friday", systemPrompt: "Work.", model: openai(url) }).reply(question)
    const first = await Promise.all(files.map((file) => recordTape(file, () => ask(file, server.url))))
    const count = server.requests.length
    const [again, beside] = await Promise.all([
      Promise.all(files.map((file) => replayTape(file, () => ask(file)))),
      ask("beside", server.url),
    ])
    expect(again).toEqual(first)
    expect(textOf(beside)).toContain('"text":"beside"')
    expect(server.requests).toHaveLength(count + 1)
  })
})

it("another provider's thinking and calls replay", async () => {
  const file = join(folder, "anthropic.jsonl")
  await using server = await startMessages()
  const stock = tool({
    name: "get_stock",
    description: "Looks up a share",
    input: z.object({ symbol: z.string() }),
    execute: () => "118.4 USD",
  })
  const ask = (baseURL?: string) => {
    const model = new AnthropicChatModel({
      model: "claude-sonnet-4-5",
      baseURL,
      apiKey: baseURL && "sk-ant-0123456789",
    })
    return eventsOf(new ReActAgent({ name: "Friday", systemPrompt: "Look.", model, tools: [stock] }), "BABA?")
  }
  const first = await recordTape(file, () => ask(server.url))
  expect(await replayTape(file, () => ask())).toEqual(first)
  expect(readFileSync(file, "utf8")).not.toContain("sk-ant")
})

it("tools whose effects are in the process run again: groups that a model switches, and a toolkit that says so", async () => {
  const file = join(folder, "own.jsonl")
  const notes: string[] = []
  const note = tool({
    name: "note",
    description: "Notes",
    input: z.object({ text: z.string() }),
    execute: ({ text }) => {
      notes.push(text)
      return notes.join()
    },
  })
  await using server = await startLoopback((_, count) => {
    if (count === 1) return { name: "reset_tools", arguments: '{"maths":true}' }
    return count === 2 ? { name: "note", arguments: '{"text":"a"}' } : { text: "Done." }
  })
  const ask = (baseURL?: string) => {
    const toolkit = new Toolkit({
      taped: false,
      tools: [note],
      groups: [{ name: "maths", description: "Maths", tools: [add] }],
    })
    return eventsOf(new ReActAgent({ name: "Friday", systemPrompt: "Work.", model: openai(baseURL), toolkit }), "Go.")
  }
  const first = await recordTape(file, () => ask(server.url))
  expect(server.requests[2]?.tools?.map((each) => each.function.name)).toContain("add")
  notes.length = 0
  expect(await replayTape(file, () => ask())).toEqual(first)
  expect(notes).toEqual(["a"])
})

it("a rate limit is waited for and tried again as it was, over a fetch of the user's own", async () => {
  const file = join(folder, "limit.jsonl")
  let calls = 0
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  const answer = {
    id: "1",
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Yes." } }],
    usage,
  }
  const fetch: typeof globalThis.fetch = () =>
    Promise.resolve(
      ++calls < 3 ? new Response('{"error":{"message":"slow down"}}', { status: 429 }) : Response.json(answer),
    )
  const ask = () => {
    const model = new OpenAIChatModel({ model: "gpt-5-mini", fetch })
    return model.generate({ messages: [userMsg("Well?")] })
  }
  const first = await recordTape(file, ask)
  expect(calls).toBe(3)
  const began = Date.now()
  expect(await replayTape(file, ask)).toEqual(first)
  expect(Date.now() - began).toBeLessThan(400)
  expect(calls).toBe(3)
})

describe("runs that are stopped or wait", () => {
  it("an interrupt in the middle of a tool, with what it had yielded, replays", async () => {
    const file = join(folder, "interrupt.jsonl")
    const endless = tool({
      name: "endless",
      description: "Never ends",
      input: z.object({}),
      async *execute(_input, { signal }) {
        yield "first "
        await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("stopped"))))
      },
    })
    await using server = await startLoopback(() => ({ name: "endless", arguments: "{}" }))
    const ask = (baseURL?: string) => async () => {
      const agent = new ReActAgent({ name: "Friday", systemPrompt: "Work.", model: openai(baseURL), tools: [endless] })
      const events: AgentEvent[] = []
      for await (const event of agent.stream("Go.")) {
        events.push(event)
        if (event.type === "tool_result_delta") agent.interrupt("Stop!")
      }
      return { events, memory: await agent.memory.get() }
    }
    const first = await recordTape(file, ask(server.url))
    expect(JSON.stringify(first.memory)).toContain("first ")
    expect(await replayTape(file, ask())).toEqual(first)
  })

  it("a typed answer, and one that a budget of time ends, replay", async () => {
    const file = join(folder, "typed.jsonl")
    await using server = await startLoopback(() => ({ name: "generate_response", arguments: '{"n":42}' }))
    const ask = (baseURL?: string) => () =>
      new ReActAgent({ name: "Friday", systemPrompt: "Work.", model: openai(baseURL) }).reply("Go.", {
        schema: z.object({ n: z.number() }),
        budget: { timeMs: 60_000 },
      })
    const first = await recordTape(file, ask(server.url))
    expect(first.structured).toEqual({ n: 42 })
    expect(await replayTape(file, ask())).toEqual(first)
  })
})
