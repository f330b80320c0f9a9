import { setImmediate as nextTurn } from "node:timers/promises"
import { approve, type JsonObject, type Msg, textOf, userMsg } from "@agentscope-ts/message"
import { type CallSink, ChatModel, type ChatRequest, Formatter } from "@agentscope-ts/model"
import { contextKey, tool, Toolkit } from "@agentscope-ts/tool"
import { expect, test } from "vitest"
import { z } from "zod"
import { eventsOf, expectValid, memoryOf, ofType } from "../fixtures/runs.ts"
import { agentAsTool, Budget, type Hooks, ReActAgent } from "../index.ts"

const secret = contextKey<string>("secret")
const words = (value: unknown): readonly string[] => [...new Set(JSON.stringify(value).match(/word-\d+/g))]

/** Numbers below `n`, the same for the same seed. */
function numbersOf(seed: number): (n: number) => number {
  let state = seed + 1
  return (n) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return (state >>> 8) % n
  }
}

class NoWire extends Formatter<never> {
  protected override formatAll(): never[] {
    return []
  }
}

const usage = { inputTokens: 10, outputTokens: 1, timeMs: 0 }
const groups = ["alpha", "beta", "gamma"] as const

/** What one session is, and what is known of it outside the agent. */
interface Session {
  readonly word: string
  readonly random: (n: number) => number
  readonly agent: ReActAgent
  readonly budget: Budget
  rounds: number
  requests: number
  helped: number
  hooked: number
  on: ReadonlySet<string>
}

/** One model for all: it answers each session as that session's numbers say, and looks at what it is shown. */
class SharedModel extends ChatModel {
  readonly sessions = new Map<string, Session>()
  /** How many sessions were between two of their requests at once. */
  mostAtOnce = 0
  #open = 0

  constructor() {
    super({ provider: "shared", model: "shared", formatters: { chat: new NoWire() }, maxRetries: 0 })
  }

  protected override async send({ messages, tools }: ChatRequest, sink: CallSink): Promise<void> {
    const [word, ...others] = words(messages)
    expect(others).toEqual([])
    const session = this.sessions.get(word ?? "") as Session
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#open)
    const { random } = session
    for (let i = random(3); i >= 0; i--) await nextTurn()
    this.#open--
    const isHelper = textOf(messages[0] as Msg).startsWith("Help")
    if (isHelper) {
      session.helped++
      sink.emit({ type: "text_delta", index: 0, text: `helped ${word}` })
      return sink.finish({ stopReason: "stop", usage })
    }
    session.requests++
    const names = new Set(tools?.map(({ name }) => name))
    for (const group of groups) expect(names.has(`in_${group}`)).toBe(session.on.has(group))
    expect(textOf(messages.at(-1) as Msg)).toContain(`hint of ${word}`)
    if (session.rounds-- <= 0) {
      sink.emit({ type: "text_delta", index: 0, text: `bye ${word}` })
      return sink.finish({ stopReason: "stop", usage })
    }
    const calls = this.#calls(session)
    calls.forEach(([name, input], index) => {
      const id = `call_${index}`
      sink.emit({ type: "tool_use_start", index, id, name })
      sink.emit({ type: "tool_use_delta", index, id, json: JSON.stringify(input) })
    })
    sink.finish({ stopReason: "tool_use", usage })
  }

  #calls(session: Session): [string, JsonObject][] {
    const { random, word } = session
    const calls: [string, JsonObject][] = [["whisper", {}]]
    for (const group of session.on) calls.push([`in_${group}`, {}])
    if (random(3) === 0) calls.push(["pay", { to: word }])
    if (random(4) === 0) calls.push(["helper", { message: `help ${word}` }])
    if (random(2) === 0) {
      const on = groups.filter(() => random(2) === 0)
      calls.push(["reset_tools", Object.fromEntries(groups.map((group) => [group, on.includes(group)]))])
      session.on = new Set(on)
    }
    return calls
  }
}

test("200 sessions at once over one model and one toolkit: none sees a word, a tool, a rule or a figure of another", async () => {
  const model = new SharedModel()
  const paid: string[] = []
  const says = (name: string) =>
    tool({
      name,
      description: name,
      input: z.object({}),
      execute: async (_, ctx) => {
        const mine = ctx.get(secret)
        await nextTurn()
        ctx.emit(mine)
        expect(ctx.get(secret)).toBe(mine)
        return `${name} ${mine} of ${ctx.agent?.name}`
      },
    })
  const pay = tool({
    name: "pay",
    description: "Pay",
    needsApproval: true,
    input: z.object({ to: z.string() }),
    execute: ({ to }, ctx) => {
      expect(ctx.get(secret)).toBe(to)
      paid.push(to)
      return `paid ${to}`
    },
  })
  const helper = agentAsTool(() => new ReActAgent({ name: "helper", systemPrompt: "Help.", model }), {
    name: "helper",
    description: "Helps",
  })
  const toolkit = new Toolkit({
    tools: [says("whisper"), pay, helper],
    groups: groups.map((name) => ({ name, description: name, tools: [says(`in_${name}`)] })),
  })
  const sessions = Array.from({ length: 200 }, (_, i): Session => {
    const word = `word-${i}`
    const random = numbersOf(i)
    const budget = new Budget({ modelCalls: 100, tokens: 10_000 })
    const hooks: Hooks = {
      preReasoning: async ({ agent: of, input }) => {
        expect(of).toBe(session.agent)
        session.hooked++
        await nextTurn()
        return { ...input, messages: [...input.messages, userMsg(`hint of ${word}`)] }
      },
      postActing: ({ output }) => {
        expect(words(output)).toEqual(words(output).filter((other) => other === word))
      },
    }
    const agent = new ReActAgent({
      name: word,
      systemPrompt: `Your word is ${word}.`,
      model,
      toolkit,
      budget,
      hooks,
      maxIterations: 50,
      maxRepeats: Infinity,
      context: [secret.of(word)],
    })
    const rounds = 2 + random(4)
    const session: Session = { word, random, agent, budget, rounds, requests: 0, helped: 0, hooked: 0, on: new Set() }
    model.sessions.set(word, session)
    return session
  })

  const converse = async ({ agent, word, random }: Session): Promise<{ asked: number; reply: Msg }> => {
    let asked = 0
    const streams = random(2) === 0
    let run = agent.stream(`I am ${word}.`)
    for (;;) {
      if (streams) {
        const events = await eventsOf(run)
        expect(words(events)).toEqual([word])
        expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i))
        expect(ofType(events, "error")).toEqual([])
      }
      const reply = await run.reply
      if (reply.pending.length === 0) return { asked, reply }
      asked++
      const approvals = reply.pending.map((call) => approve(call, { remember: call.suggestedRules }))
      run = agent.stream({ approvals })
    }
  }
  const before = toolkit.schemas()
  const ended = await Promise.all(sessions.map(converse))

  expect(model.mostAtOnce).toBeGreaterThan(100)
  for (const [i, { agent, word, budget, requests, helped, hooked, on }] of sessions.entries()) {
    const { asked, reply } = ended[i] as { asked: number; reply: Msg }
    const history = memoryOf(agent)
    expect(textOf(reply)).toBe(`bye ${word}`)
    expect(words(history)).toEqual([word])
    expectValid(history)
    expect(hooked).toBe(requests)
    // who is asked for help spends from the budget of the one that asks
    const modelCalls = requests + helped
    expect(budget.spent).toMatchObject({ modelCalls, tokens: modelCalls * 11 })
    expect(agent.toolState.activeGroups.filter((name) => name !== "basic")).toEqual(
      groups.filter((name) => on.has(name)),
    )
    // asked once, if at all: the rule that was remembered holds for this session, and for no other
    const payments = paid.filter((to) => to === word).length
    expect(asked).toBe(Math.min(payments, 1))
    expect(words(agent.stateDict())).toEqual([word])
  }
  expect(ended.some(({ asked }) => asked > 0)).toBe(true)
  expect(toolkit.schemas()).toEqual(before)
})
