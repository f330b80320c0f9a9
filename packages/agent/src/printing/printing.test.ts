import type { AgentEvent } from "@agentscope-ts/message"
import { ScriptedModel, type ScriptedStep } from "@agentscope-ts/testing"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { ManualModel, says, stalls, text } from "../fixtures/manual-model.ts"
import { eventsOf, expectValid, gate, idle, memoryOf, ofType } from "../fixtures/runs.ts"
import { add, askExpert, named, refundTool } from "../fixtures/tools.ts"
import { ReActAgent, type ReActOptions } from "../index.ts"
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

  test.each(["function", "async function", "hook", "slow hook", "hook after", "slow hook after"])(
    "one that throws harms nobody: %s",
    async (how) => {
      const seen: string[] = []
      const fail = (event?: AgentEvent): never => {
        throw new RangeError(`on fire at ${event?.type}`)
      }
      const slowFail = async (event?: AgentEvent): Promise<never> => fail(event)
      const hook = how.startsWith("slow") ? slowFail : fail
      const failing = ({ input }: { input: { event: AgentEvent } }) => hook(input.event)
      const next = ({ input }: { input: { event: AgentEvent } }): void => void seen.push(input.event.type)
      const options: Partial<ReActOptions> = how.endsWith("function")
        ? { print: how === "function" ? fail : slowFail, hooks: { postPrint: next } }
        : { hooks: { [how.endsWith("after") ? "postPrint" : "prePrint"]: [failing, next] } }
      const agent = make([adding, "3"], options)
      const run = agent.stream("1 + 2?")
      const events = await eventsOf(run)
      expect(await run.reply).toMatchObject({ finishReason: "completed" })
      expect(seen).toEqual(events.map(({ type }) => type))
      // told once, however often it fails
      expect(ofType(events, "warning")).toMatchObject([
        { code: "listener_failed", message: expect.stringContaining("on fire at reply_start") },
      ])
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i))
      expectValid(memoryOf(agent))
    },
  )

  test("one that fails where nobody reads the stream, or at its last event, is told to the runtime", async () => {
    const told: Warning[] = []
    type Warning = Error & { code?: string }
    const hear = (warning: Warning) => void (warning.code === "listener_failed" && told.push(warning))
    process.on("warning", hear)
    try {
      const print = ({ type }: AgentEvent) => {
        if (type === "reply_end") throw new RangeError("late")
      }
      const events = await eventsOf(make(["ok"], { print }).stream("x"))
      expect(events.at(-1)?.type).toBe("reply_end")
      await make(["ok"], { print: () => print({ type: "reply_end" } as AgentEvent) }).reply("x")
      await idle()
      expect(told.map(({ message }) => message)).toEqual(
        Array(2).fill("The print function failed, and the reply goes on: late"),
      )
    } finally {
      process.off("warning", hear)
    }
  })

  test("hooks that come and go while the agent runs are asked from then on", async () => {
    const seen: string[] = []
    const agent = make([adding, "3"], {
      hooks: {
        preActing: ({ agent }) =>
          agent.registerHook("prePrint", "late", ({ input }) => {
            seen.push(input.event.type)
            if (input.event.type === "tool_result") agent.removeHook("prePrint", "late")
          }),
      },
    })
    await agent.reply("1 + 2?")
    expect(seen).toEqual(["tool_execution_start", "tool_result"])
  })

  test("a slow hook behind a fast model keeps few events: neighbouring deltas are joined, and no text is lost", async () => {
    const slow = gate()
    let printed = ""
    let calls = 0
    const deltas = Array.from({ length: 20_000 }, (_, i) => `${i},`)
    const model = new ManualModel(says(...text(0, ...deltas)))
    const agent = new ReActAgent({
      name: "Friday",
      systemPrompt: "x",
      model,
      print: (event) => {
        if (event.type === "text_delta") printed += event.text
      },
      hooks: {
        prePrint: async () => {
          calls++
          await slow.promise
        },
      },
    })
    const reply = agent.reply("x")
    await idle()
    slow.resolve()
    await reply
    expect(printed).toBe(deltas.join(""))
    expect(calls).toBeLessThan(4200)
  })

  test("a hook that never answers holds up neither an abort nor an interrupt of the reply that is told already", async () => {
    for (const how of ["abort", "interrupt"]) {
      const giveUp = new AbortController()
      const hooks = { prePrint: () => new Promise<undefined>(() => {}) }
      const run = make(["ok"], { hooks }).stream("x", { signal: giveUp.signal })
      await eventsOf(run)
      await idle()
      if (how === "abort") giveUp.abort(new RangeError("enough"))
      else expect(run.interrupt()).toBe(true)
      if (how === "abort") await expect(run.reply).rejects.toThrow("enough")
      else expect((await run.reply).finishReason).toBe("completed")
    }
  })

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
