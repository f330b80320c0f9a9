import type { AgentEvent, Msg, Reply, ToolResultBlock, ToolUseBlock } from "@agentscope-ts/message"
import type { ChatModel, ChatRequest } from "@agentscope-ts/model"
import type { Tool } from "@agentscope-ts/tool"
import { describe, expectTypeOf, test } from "vitest"
import { z } from "zod"
import {
  AgentBase,
  type AgentRun,
  agentAsTool,
  Budget,
  type Hooks,
  type InterruptContext,
  ReActAgent,
  type RunContext,
  UserAgent,
} from "./index.ts"

declare const model: ChatModel
const base = { name: "Friday", systemPrompt: "Help.", model }
const agent = new ReActAgent(base)

describe("a structured reply", () => {
  test("has its type once it is known to be complete", async () => {
    const reply = await agent.reply("?", { schema: z.object({ total: z.number(), at: z.string().transform(Number) }) })
    if (reply.finishReason === "completed") {
      expectTypeOf(reply.structured).toEqualTypeOf<{ total: number; at: number }>()
    } else {
      expectTypeOf(reply.structured).toEqualTypeOf<{ total: number; at: number } | undefined>()
      expectTypeOf(reply.finishReason).not.toEqualTypeOf<"error">()
    }
  })

  test("of a JSON Schema literal too", async () => {
    const reply = await agent.reply("?", {
      schema: { type: "object", properties: { mood: { enum: ["good", "bad"] } }, required: ["mood"] },
    })
    if (reply.finishReason === "completed") expectTypeOf(reply.structured.mood).toEqualTypeOf<"good" | "bad">()
  })

  test("by stream and resume as well, and by every agent", () => {
    const schema = z.object({ n: z.number() })
    expectTypeOf(agent.stream("?", { schema })).toEqualTypeOf<AgentRun<{ n: number }>>()
    expectTypeOf(agent.resume({ results: [] }, { schema })).resolves.toEqualTypeOf<Reply<{ n: number }>>()
    expectTypeOf(new UserAgent({ name: "Bob" }).reply("?", { schema })).resolves.toEqualTypeOf<Reply<{ n: number }>>()
  })

  test("without a schema there is none", async () => {
    expectTypeOf(agent.reply("?")).resolves.toEqualTypeOf<Reply>()
    expectTypeOf(agent.stream()).toEqualTypeOf<AgentRun>()
  })

  test("a reply is a message, and can be given on as one", async () => {
    expectTypeOf(await agent.reply()).toExtend<Msg>()
    void agent.reply(await agent.reply("?", { schema: z.object({ n: z.number() }) }))
  })
})

describe("what is misspelt does not compile", () => {
  test("options of agents", () => {
    // @ts-expect-error maxIterations
    void new ReActAgent({ ...base, maxIteration: 3 })
    // @ts-expect-error the model is missing
    void new ReActAgent({ name: "Friday", systemPrompt: "Help." })
    // @ts-expect-error "throw" or "queue"
    void new ReActAgent({ ...base, whenBusy: "wait" })
    // @ts-expect-error tokens
    void new Budget({ token: 5 })
    // @ts-expect-error description
    void agentAsTool(agent, { descripton: "x" })
  })

  test("options of replies", () => {
    // @ts-expect-error signal
    void agent.reply("?", { signals: AbortSignal.timeout(1) })
    // @ts-expect-error an input is text or messages
    void agent.reply(5)
  })

  test("hooks", () => {
    // @ts-expect-error preReply
    const hooks: Hooks = { preReplay: () => {} }
    // @ts-expect-error preActing
    agent.registerHook("preAct", "x", () => {})
    // @ts-expect-error an output is a reply, not a text
    const wrong: Hooks = { postReply: () => "text" }
    // @ts-expect-error only prePrint may answer null
    const never: Hooks = { preReply: () => null }
    void [hooks, wrong, never]
  })
})

describe("hooks know what they get", () => {
  test("by their type", () => {
    agent.registerHook("preReasoning", "x", ({ agent, input }) => {
      expectTypeOf(agent).toEqualTypeOf<ReActAgent>()
      expectTypeOf(input).toEqualTypeOf<ChatRequest>()
      return { ...input, toolChoice: "none" }
    })
    agent.registerHook("postActing", "x", ({ input, output }) => {
      expectTypeOf(input.toolUse).toEqualTypeOf<ToolUseBlock>()
      expectTypeOf(output).toEqualTypeOf<ToolResultBlock>()
    })
    agent.registerHook("postReply", "x", async ({ output }) => {
      expectTypeOf(output).toEqualTypeOf<Reply<unknown>>()
    })
    const hooks: Hooks = {
      prePrint: ({ input }) => {
        expectTypeOf(input.event).toEqualTypeOf<AgentEvent>()
        return null
      },
      postReasoning: [({ output }) => output, () => {}],
      postObserve: ({ input, output }) => {
        expectTypeOf(input.messages).toEqualTypeOf<readonly Msg[]>()
        expectTypeOf(output).toEqualTypeOf<void>()
      },
    }
    void hooks
  })

  test("and a hook may be any function that returns nothing", () => {
    const log: (...values: unknown[]) => void = console.log
    const hooks: Hooks = { preReply: log, postReply: async () => {} }
    void hooks
  })
})

test("a custom agent writes run, and may write handleInterrupt", () => {
  class Echo extends AgentBase {
    static override readonly hooks: Hooks = { preReply: ({ agent }) => console.log(agent.name) }
    protected override async run(messages: readonly Msg[], context: RunContext): Promise<Msg> {
      context.emit({ type: "warning", code: "x", message: "y" })
      // @ts-expect-error there is no such event
      context.emit({ type: "nothing" })
      return messages[0] as Msg
    }
    protected override async handleInterrupt({ by }: InterruptContext) {
      expectTypeOf(by).toEqualTypeOf<Msg | undefined>()
      return "stopped"
    }
  }
  // @ts-expect-error run is not written
  class Nothing extends AgentBase {}
  void [Echo, Nothing]
})

test("an agent as a tool takes a message and gives a text", () => {
  expectTypeOf(agentAsTool(agent, { description: "x" })).toEqualTypeOf<
    Tool<{ message: string; session_id?: string }, string>
  >()
})

test("an agent as a tool takes a message, and gives a text; a waiting call may say whose it is", () => {
  const asTool = agentAsTool(() => agent, { description: "x", timeoutMs: 5, budget: { tokens: 5 } })
  expectTypeOf(asTool).toEqualTypeOf<Tool<{ message: string; session_id?: string }, string>>()
  agentAsTool(agent, { description: "x", budget: new Budget({ costUsd: 1 }) })
  expectTypeOf(agent.pending[0]!.path).toEqualTypeOf<readonly string[] | undefined>()
  // @ts-expect-error a model must be told what it can ask
  agentAsTool(agent, {})
})
