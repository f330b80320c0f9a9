import type { AgentEvent } from "@agentscope-ts/message"
import { ScriptedModel, type ScriptedStep } from "@agentscope-ts/testing"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { ManualModel, says, stalls, text } from "./fixtures/manual-model.ts"
import { eventsOf, gate, idle } from "./fixtures/runs.ts"
import { add, askExpert, named, refundTool } from "./fixtures/tools.ts"
import { ReActAgent, type ReActOptions } from "./index.ts"
import { terminalPrinter } from "./terminal-printer.ts"

const adding: ScriptedStep = { text: "Well, let me see.", toolUses: [{ name: "add", input: { a: 1, b: 2 } }] }
const make = (steps: ScriptedStep[], options: Partial<ReActOptions> = {}) =>
  new ReActAgent({
    name: "Friday",
    systemPrompt: "Help.",
    model: new ScriptedModel(steps),
    tools: [add, askExpert],
    ...options,
  })

describe("print: true", () => {
  let written = ""
  beforeEach(() => {
    written = ""
    vi.spyOn(process.stdout, "write").mockImplementation((chunk) => {
      written += String(chunk)
      return true
    })
  })
  afterEach(() => void vi.restoreAllMocks())

  test("writes what the agent says and does, as lines", async () => {
    await make([{ thinking: "Hm, numbers.", ...adding }, "It is 3.\nReally."], { print: true }).reply("1 + 2?")
    expect(written).toBe(
      [
        "Friday (thinking): Hm, numbers.",
        "Friday: Well, let me see.",
        'Friday calls add {"a":1,"b":2}',
        "add: 3",
        "Friday: It is 3.\nReally.",
        "",
      ].join("\n"),
    )
  })

  test("each text once, also where it was not streamed: an interrupt's answer, a structured value", async () => {
    const agent = new ReActAgent({
      name: "Friday",
      systemPrompt: "x",
      model: new ManualModel(stalls(...text(0, "Once"))),
      print: true,
    })
    const reply = agent.reply("x")
    await idle()
    agent.interrupt()
    await reply
    expect(written).toBe("Friday: Once\nFriday: I noticed that you have interrupted me. What can I do for you?\n")
  })

  test("an agent that is not streaming prints the same", async () => {
    await make([adding, "It is 3."], { print: true, streaming: false }).reply("1 + 2?")
    expect(written).toBe('Friday: Well, let me see.\nFriday calls add {"a":1,"b":2}\nadd: 3\nFriday: It is 3.\n')
  })

  test("waits, states and failures are said", async () => {
    const { refund } = refundTool()
    const fail = named("fail", () => {
      throw new Error("no route")
    })
    const toolUses = ["ask_expert", "refund", "fail"].map((name) => ({ name, input: { question: "Why?", amount: 5 } }))
    await make([{ toolUses }], { print: true, tools: [askExpert, refund, fail] }).reply("?")
    expect(written).toContain('Friday asks for approval of refund {"question":"Why?","amount":5}')
    expect(written).toContain('Friday waits for the result of ask_expert {"question":"Why?","amount":5}\n')
    expect(written).toContain("fail: [error] Error in the tool")
    written = ""
    const model = new ManualModel(() => {
      throw new Error("down")
    })
    await new ReActAgent({ name: "Friday", systemPrompt: "x", model, print: true }).reply("?").catch(() => {})
    expect(written).toBe("Friday failed: down\n")
  })

  test("without it nothing is written", async () => {
    await make(["quiet"]).reply("x")
    expect(written).toBe("")
  })
})

describe("the lines of the terminal", () => {
  const head = { replyId: "r", agent: "Ann", path: [], seq: 0 } as const
  const printed = (...events: object[]) => {
    let out = ""
    const print = terminalPrinter((words) => {
      out += words
    })
    for (const event of events) print({ ...head, ...event } as unknown as AgentEvent)
    return out
  }

  test("long results and inputs are cut, and say so", () => {
    const toolUse = { type: "tool_use", id: "1", name: "cat", input: { file: "x".repeat(3000) } }
    const result = {
      type: "tool_result",
      id: "1",
      name: "cat",
      state: "success",
      output: [{ type: "text", text: "y".repeat(3000) }],
    }
    const out = printed({ type: "tool_execution_start", toolUse }, { type: "tool_result", toolUse, result })
    expect(out.length).toBeLessThan(2200)
    expect(out).toContain("… (3000 characters)")
  })

  test("the blocks of two agents at a time do not run together; sub-agents are set in", () => {
    const sub = { agent: "Bob", path: ["Ann"], msgId: "b", index: 0 }
    expect(
      printed(
        { type: "text_delta", msgId: "a", index: 0, text: "Hel" },
        { type: "text_delta", ...sub, text: "one\ntwo" },
        { type: "text_delta", msgId: "a", index: 0, text: "lo" },
        { type: "warning", code: "length", message: "cut" },
        { type: "retry", attempt: 1, delayMs: 5, error: { code: "x", message: "busy", retryable: true } },
      ),
    ).toBe("Ann: Hel\n  Bob: one\n  two\nAnn: lo\nAnn (length): cut\nAnn tries again in 5 ms: busy\n")
  })

  test("go to the console, line by line, where there is no standard output", () => {
    const lines: string[] = []
    vi.stubGlobal("process", undefined)
    vi.spyOn(console, "log").mockImplementation((line) => void lines.push(String(line)))
    const print = terminalPrinter()
    print({ ...head, type: "text_delta", msgId: "a", index: 0, text: "Hel" })
    print({ ...head, type: "text_delta", msgId: "a", index: 0, text: "lo" })
    print({ ...head, type: "block_end", msgId: "a", index: 0, block: { type: "text", text: "Hello" } })
    vi.unstubAllGlobals()
    vi.restoreAllMocks()
    expect(lines).toEqual(["Ann: Hello"])
  })
})

describe("print hooks and a print function", () => {
  test("the function gets every event, in order; hooks run first, and null keeps an event from it", async () => {
    const seen: string[] = []
    const log: string[] = []
    const agent = make(["Hello there."], {
      print: (event) => void seen.push(event.type === "text_delta" ? event.text : event.type),
      hooks: {
        prePrint: ({ input: { event } }) => {
          log.push(event.type)
          if (event.type === "model_start") return null
          return event.type === "text_delta" ? { event: { ...event, text: event.text.toUpperCase() } } : undefined
        },
        postPrint: ({ input, output }) => void log.push(`after ${input.event.type} ${output as undefined}`),
      },
    })
    const streamed = (await eventsOf(agent.stream("x"))).filter(({ type }) => type === "text_delta")
    expect(seen).not.toContain("model_start")
    expect(seen.filter((word) => word === word.toUpperCase()).join("")).toBe("HELLO THERE.")
    expect(streamed).toMatchObject([{ text: "Hell" }, { text: "o th" }, { text: "ere." }])
    expect(log).not.toContain("after model_start undefined")
    expect(log).toContain("after text_delta undefined")
  })

  test("hooks run whether or not print is on", async () => {
    const seen: string[] = []
    await make(["Hello."], { hooks: { prePrint: ({ input }) => void seen.push(input.event.type) } }).reply("x")
    expect(seen[0]).toBe("reply_start")
    expect(seen.at(-1)).toBe("reply_end")
  })

  test("a hook that takes its time keeps the order, and the reply waits for what is not printed yet", async () => {
    const seen: string[] = []
    const agent = make(["Hello there, my dear friend."], {
      print: (event) => void seen.push(`${event.seq}`),
      hooks: {
        prePrint: [
          async ({ input }) => {
            if (input.event.seq % 2 === 0) await idle()
          },
          ({ input }) => (input.event.seq === 3 ? null : undefined),
        ],
        postPrint: async () => idle(),
      },
    })
    const run = agent.stream("x")
    const events = await eventsOf(run)
    await run.reply
    expect(seen).toEqual(events.map(({ seq }) => `${seq}`).filter((seq) => seq !== "3"))
  })

  test.each(["function", "hook", "slow hook", "last event"])(
    "a printer that throws rejects the reply: %s",
    async (how) => {
      const fail = ({ type }: AgentEvent) => {
        if ((type === "reply_end") === (how === "last event")) throw new RangeError("printer on fire")
      }
      const options: Partial<ReActOptions> =
        how === "function" || how === "last event"
          ? { print: fail }
          : {
              hooks: {
                prePrint: how === "hook" ? ({ input }) => fail(input.event) : async ({ input }) => fail(input.event),
              },
            }
      await expect(make([adding, "3"], options).reply("x")).rejects.toThrow("printer on fire")
    },
  )

  test("a hook gets a copy of the event", async () => {
    const agent = make(["Hello."], { hooks: { prePrint: ({ input }) => void Object.assign(input.event, { seq: -1 }) } })
    expect((await eventsOf(agent.stream("x"))).every(({ seq }) => seq >= 0)).toBe(true)
  })

  test("a reply that fails waits for nobody", async () => {
    const never = gate()
    const model = new ManualModel(says(...text(0, "Hi.")))
    const agent = new ReActAgent({
      name: "Friday",
      systemPrompt: "x",
      model,
      hooks: {
        prePrint: ({ input }) => (input.event.type === "reply_end" ? never.promise.then(() => undefined) : undefined),
      },
    })
    const reply = agent.reply("x")
    await idle()
    never.resolve()
    expect((await reply).finishReason).toBe("completed")
  })
})
