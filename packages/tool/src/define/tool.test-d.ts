import type { AgentEvent, JsonValue, ToolResultBlock, ToolUseBlock } from "@agentscope-ts/message"
import { describe, expectTypeOf, test } from "vitest"
import { z } from "zod"
import {
  type AnyTool,
  contextKey,
  isToolResult,
  isToolUse,
  Toolkit,
  tool,
  type Tool,
  toolMethod,
  toolResponse,
  toolsOf,
  when,
} from "../index.ts"

const weather = tool({
  name: "weather",
  description: "A test",
  input: z.object({ city: z.string().transform((city) => city.length), days: z.number().default(1) }),
  execute: ({ city, days }, ctx) => {
    expectTypeOf(city).toEqualTypeOf<number>()
    expectTypeOf(days).toEqualTypeOf<number>()
    expectTypeOf(ctx.signal).toEqualTypeOf<AbortSignal>()
    return { celsius: city * days }
  },
})

describe("a tool's types", () => {
  test("follow from its schema and its function", () => {
    expectTypeOf(weather).toEqualTypeOf<Tool<{ city: string; days?: number | undefined }, { celsius: number }>>()
    expectTypeOf(weather.run({ city: "Rome" })).resolves.toEqualTypeOf<{ celsius: number }>()
  })

  test("follow from a JSON Schema literal, without `as const`", () => {
    const chart = tool({
      name: "chart",
      description: "A test",
      input: {
        type: "object",
        properties: {
          title: { type: "string" },
          kind: { enum: ["bar", "line"] },
          values: { type: "array", items: { type: "number" } },
        },
        required: ["title", "values"],
      },
      execute: (input) => {
        expectTypeOf(input).toEqualTypeOf<{ title: string; values: number[]; kind?: "bar" | "line" }>()
        return input.title
      },
    })
    expectTypeOf(chart.run({ title: "", values: [] })).resolves.toEqualTypeOf<string>()
  })

  test("follow from every form of execute", () => {
    const base = { name: "t", description: "A test", input: z.object({}) }
    const own = <Out>(of: Tool<Record<string, never>, Out>) => expectTypeOf(of.run({}))
    own(tool({ ...base, execute: () => 1 })).resolves.toEqualTypeOf<number>()
    own(tool({ ...base, execute: async () => 1 })).resolves.toEqualTypeOf<number>()
    const yields = tool({
      ...base,
      *execute() {
        yield "a"
      },
    })
    own(yields).resolves.toEqualTypeOf<string>()
    const yieldsRows = tool({
      ...base,
      async *execute() {
        yield `row ${Math.random()}`
      },
    })
    own(yieldsRows).resolves.toEqualTypeOf<string>()
    const returns = tool({
      ...base,
      async *execute() {
        yield "a"
        return 1
      },
    })
    own(returns).resolves.toEqualTypeOf<number>()
    own(tool({ ...base, execute: () => toolResponse("a") })).resolves.toEqualTypeOf<undefined>()
    const structured = tool({ ...base, execute: () => toolResponse("a", { structured: { n: 1 } }) })
    own(structured).resolves.toEqualTypeOf<{ n: number }>()
    const suspends = tool({ ...base, execute: (_input, ctx) => (Math.random() > 0.5 ? ctx.suspend() : 1) })
    own(suspends).resolves.toEqualTypeOf<number>()
    own(tool(base)).resolves.toEqualTypeOf<JsonValue>()
    own(tool({ ...base, output: z.object({ n: z.number() }) })).resolves.toEqualTypeOf<{ n: number }>()
  })

  test("let misuse not compile", () => {
    // @ts-expect-error: a wrong argument
    void (() => weather.run({ city: 7 }))
    // @ts-expect-error: a missing argument
    void (() => weather.run({}))
    // @ts-expect-error: a misspelt option
    void (() => tool({ name: "t", description: "A test", input: z.object({}), timeout: 5, execute: () => "" }))
    // @ts-expect-error: effects that do not exist
    void (() => tool({ name: "t", description: "A test", input: z.object({}), effects: "read", execute: () => "" }))
    // @ts-expect-error: no description
    void (() => tool({ name: "t", input: z.object({}), execute: () => "" }))
    void (() =>
      tool({
        name: "t",
        description: "A test",
        input: z.object({ a: z.string() }),
        // @ts-expect-error: an argument that the schema does not have
        execute: ({ b }) => b,
      }))
    void (() =>
      tool({
        name: "t",
        description: "A test",
        input: z.object({ a: z.string() }),
        // @ts-expect-error: an argument of another type
        needsApproval: ({ a }) => a > 5,
        execute: () => "",
      }))
  })
})

describe("guards and rules", () => {
  test("type the input of calls and the value of results", () => {
    const use = {} as ToolUseBlock
    if (isToolUse(use, weather)) expectTypeOf(use.input.city).toEqualTypeOf<string>()
    const result = {} as ToolResultBlock
    if (isToolResult(result, weather)) {
      expectTypeOf(result.structured).toEqualTypeOf<{ celsius: number }>()
      expectTypeOf(result.state).toEqualTypeOf<"success">()
    }
    const event = {} as AgentEvent
    if (event.type === "tool_result" && isToolResult(event.result, weather))
      expectTypeOf(event.result.structured.celsius).toEqualTypeOf<number>()
  })

  test("do not promise a value beside a text", () => {
    const echo = tool({ name: "echo", description: "A test", input: z.object({}), execute: () => "x" })
    const result = {} as ToolResultBlock
    if (isToolResult(result, echo)) expectTypeOf(result.structured).toEqualTypeOf<string | undefined>()
  })

  test("type the input of a condition as what the model sends", () => {
    when(weather, ({ city, days }) => {
      expectTypeOf(city).toEqualTypeOf<string>()
      expectTypeOf(days).toEqualTypeOf<number | undefined>()
      return true
    })
    // @ts-expect-error: an argument that the tool does not have
    void (() => when(weather, ({ town }) => town === ""))
  })
})

describe("a toolkit", () => {
  test("takes tools of all kinds, and types their presets", () => {
    const kit = new Toolkit({ tools: [weather, ...toolsOf({})] })
    kit.register(weather, { presetArgs: { city: "Rome" } })
    for (const any of toolsOf({})) kit.register(any, { presetArgs: { x: 1 } })
    expectTypeOf(kit.register(weather)).toEqualTypeOf<void>()
    expectTypeOf(kit.register({ name: "s", listTools: async () => [weather] })).toEqualTypeOf<Promise<void>>()
    // @ts-expect-error: a preset of another type
    void (() => kit.register(weather, { presetArgs: { city: 7 } }))
    // @ts-expect-error: a preset that the tool does not have
    void (() => kit.register(weather, { presetArgs: { town: "Rome" } }))
    // @ts-expect-error: no tool
    void (() => new Toolkit({ tools: [{ name: "x" }] }))
    // @ts-expect-error: a misspelt option
    void (() => new Toolkit({ tool: [weather] }))
    // @ts-expect-error: options of a source for a tool
    void (() => kit.register(weather, { enable: ["a"] }))
  })

  test("knows any tool by the same type", () => {
    expectTypeOf(weather).toExtend<AnyTool>()
    expectTypeOf<Tool>().toExtend<AnyTool>()
  })
})

test("context keys type what tools get", () => {
  const tenant = contextKey<{ id: string }>("tenant")
  class User {
    readonly name = "Ann"
  }
  tool({
    name: "t",
    description: "A test",
    input: z.object({}),
    execute: (_input, ctx) => {
      expectTypeOf(ctx.get(tenant)).toEqualTypeOf<{ id: string }>()
      expectTypeOf(ctx.get(User)).toEqualTypeOf<User>()
      expectTypeOf(ctx.get(contextKey("locale", "en"))).toEqualTypeOf<string>()
      return ""
    },
  })
  // @ts-expect-error: a value of another type
  void (() => tenant.of({ id: 7 }))
})

test("a decorated method takes what its schema gives", () => {
  const City = z.object({ city: z.string(), days: z.number().default(1) })
  class Weather {
    @toolMethod({ description: "A test", input: City })
    fine({ city, days }: { city: string; days: number }) {
      return city.repeat(days)
    }
    // @ts-expect-error: a parameter of another type
    @toolMethod({ description: "A test", input: City })
    wrong({ city }: { city: number }) {
      return city
    }
    // @ts-expect-error: a misspelt option
    @toolMethod({ description: "A test", input: City, nam: "x" })
    misspelt() {
      return ""
    }
  }
  expectTypeOf(toolsOf(new Weather())).toEqualTypeOf<readonly AnyTool[]>()
})

describe("what compilers refuse", () => {
  const base = { name: "t", description: "A test", input: z.object({ city: z.string() }) }
  const output = z.object({ size: z.number() })

  test("a value that does not fit the output", () => {
    tool({ ...base, output, execute: async ({ city }) => ({ size: city.length }) })
    tool({ ...base, output, execute: () => toolResponse("no", { state: "error" }) })
    tool({ ...base, output, execute: (_, ctx) => ctx.suspend() })
    tool({ ...base, output })
    tool({ ...base, output: z.object({ size: z.number().default(0) }), execute: () => ({}) })
    // @ts-expect-error size is a number
    tool({ ...base, output, execute: ({ city }) => ({ size: city }) })
    // @ts-expect-error size is missing
    tool({ ...base, output, execute: async () => ({}) })
    // @ts-expect-error a text is no object
    tool({ ...base, output, execute: ({ city }) => city })
    const literal = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const
    tool({ ...base, output: literal, execute: () => ({ n: 1 }) })
    // @ts-expect-error n is a number
    tool({ ...base, output: literal, execute: () => ({ n: "1" }) })
  })

  test("what is missing, where the tool begins and not where it is used", () => {
    const { name, description, input } = base
    // @ts-expect-error description
    tool({ name, input, execute: ({ city }) => city })
    // @ts-expect-error name
    tool({ description, input, execute: ({ city }) => city })
    // @ts-expect-error input
    tool({ name, description, execute: ({ city }) => city })
  })
})
