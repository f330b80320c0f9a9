import { AgentScopeError, type Schema } from "@agentscope-ts/message"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { resultOf, use } from "../fixtures/calls.ts"
import { isToolResult, isToolUse, Toolkit, tool, toolResponse } from "../index.ts"

const failure = (make: () => unknown): AgentScopeError => {
  try {
    make()
  } catch (error) {
    if (AgentScopeError.is(error)) return error
    throw error
  }
  throw new TypeError("nothing was thrown")
}

describe("a tool", () => {
  test("says what the model is told, without the schema's own marks", () => {
    const search = tool({
      name: "search",
      description: "Search",
      strict: true,
      input: z.object({ query: z.string().describe("what to look for"), page: z.number().default(1) }),
      execute: () => "",
    })
    expect(search.schema).toEqual({
      name: "search",
      description: "Search",
      strict: true,
      parameters: {
        type: "object",
        properties: {
          query: { type: "string", description: "what to look for" },
          page: { type: "number", default: 1 },
        },
        required: ["query"],
      },
    })
    expect(search).toMatchObject({ external: false, effects: "once", concurrencySafe: true, strict: true })
  })

  test("takes a JSON Schema literal as it is, and validates with it", async () => {
    const input = { type: "object", properties: { n: { type: "integer", minimum: 1 } }, required: ["n"] } as const
    const count = tool({ name: "count", description: "Count", input, execute: ({ n }) => n + 1 })
    expect(count.schema.parameters).toEqual(input)
    expect(await count.run({ n: 1 })).toBe(2)
    expect((await resultOf(count, { n: 0 })).state).toBe("error")
  })

  test("without parameters has an object with no properties", () => {
    const parameters = { type: "object", properties: {} }
    const now = (input: Schema) =>
      tool({ name: "now", description: "A test", input, execute: () => "" }).schema.parameters
    expect(now({})).toEqual(parameters)
    expect(now({ type: "object" })).toEqual({ type: "object" })
    expect(now(z.object({}))).toMatchObject(parameters)
  })

  test("may take one of several shapes", async () => {
    const input = z.discriminatedUnion("by", [
      z.object({ by: z.literal("id"), id: z.number() }),
      z.object({ by: z.literal("name"), name: z.string() }),
    ])
    const find = tool({
      name: "find",
      description: "A test",
      input,
      execute: (given) => (given.by === "id" ? given.id : given.name),
    })
    expect(find.schema.parameters["oneOf"] ?? find.schema.parameters["anyOf"]).toHaveLength(2)
    expect(await find.run({ by: "name", name: "Ann" })).toBe("Ann")
  })

  test.each(["", "my tool", "naïve", "a.b", "x".repeat(65), undefined])("may not be named %j", (name) => {
    const error = failure(() => tool({ name: name as string, description: "A test", input: {} }))
    expect(error.code).toBe("invalid_tool")
    expect(error.message).toContain("A-Z a-z 0-9 _ -")
  })

  test("may not have a time limit of nothing", () => {
    for (const timeoutMs of [0, -1, Number.NaN]) {
      expect(failure(() => tool({ name: "t", description: "A test", input: {}, timeoutMs })).code).toBe("invalid_tool")
    }
  })

  test("may not take anything but an object", () => {
    for (const input of [z.string(), z.array(z.string()), { type: "number" } as const]) {
      const error = failure(() => tool({ name: "t", description: "A test", input: input as never }))
      expect(error.code).toBe("invalid_schema")
      expect(error.message).toMatch(/"t".*always an object/)
    }
  })
})

describe("FR-30 the input side of a schema", () => {
  test("is what the model is told; execute gets defaults and transforms", async () => {
    let seen: unknown
    const parse = tool({
      name: "parse",
      description: "A test",
      input: z.object({ n: z.string().transform(Number), page: z.number().default(1) }),
      execute: (input) => {
        seen = input
        return "ok"
      },
    })
    expect(parse.schema.parameters.required).toEqual(["n"])
    expect((await resultOf(parse, { n: "7" })).state).toBe("success")
    expect(seen).toEqual({ n: 7, page: 1 })
  })

  test.each([
    ["a date", z.object({ since: z.date() }), "since"],
    ["a bigint", z.object({ filter: z.object({ id: z.bigint() }) }), "filter.id"],
    ["a map", z.object({ pairs: z.array(z.map(z.string(), z.string())) }), "pairs"],
    ["an optional date", z.object({ ok: z.string(), until: z.date().optional() }), "until"],
  ])(
    "that cannot be told (%s) fails when the tool is made, naming the tool and the parameter",
    (_, input, parameter) => {
      const error = failure(() => tool({ name: "list_mail", description: "A test", input, execute: () => "" }))
      expect(error.code).toBe("invalid_schema")
      expect(error.message).toContain('"list_mail"')
      expect(error.message).toContain(parameter)
    },
  )

  test("of zod 3 gets an error that names zod 4", () => {
    const old = { _def: {}, safeParse: () => {}, "~standard": { version: 1, vendor: "zod", validate: () => {} } }
    const error = failure(() => tool({ name: "t", description: "A test", input: old as never }))
    expect(error.code).toBe("invalid_schema")
    expect(error.message).toContain("zod 4")
  })

  test("that validates by promise is an error result that says so", async () => {
    const input = z.object({ name: z.string().refine(async () => true) })
    const result = await resultOf(tool({ name: "t", description: "A test", input, execute: () => "" }), { name: "x" })
    expect(result).toMatchObject({ state: "error", metadata: { error: { code: "invalid_schema" } } })
  })
})

describe("run, to compose tools", () => {
  const double = tool({
    name: "double",
    description: "A test",
    input: z.object({ n: z.number().default(2) }),
    execute: ({ n }) => n * 2,
  })

  test("validates, applies defaults and gives the tool's own value", async () => {
    expect(await double.run({})).toBe(4)
    const day = new Date()
    const today = tool({ name: "today", description: "A test", input: {}, execute: async () => day })
    expect(await today.run({})).toBe(day)
  })

  test("rejects invalid input with invalid_input, naming the parameter", async () => {
    const error = await double.run({ n: "x" as never }).catch((thrown: unknown) => thrown)
    expect(AgentScopeError.is(error, "invalid_input") && error.message).toMatch(/"double".*n: /)
  })

  test("runs generators to their end", async () => {
    const lines = tool({
      name: "lines",
      description: "A test",
      input: {},
      async *execute() {
        yield "a"
        yield "b"
      },
    })
    expect(await lines.run({})).toBe("ab")
    const counted = tool({
      name: "counted",
      description: "A test",
      input: {},
      *execute() {
        yield "a"
        return 1
      },
    })
    expect(await counted.run({})).toBe(1)
    const objects = tool({
      name: "objects",
      description: "A test",
      input: {},
      *execute() {
        yield { n: 1 }
        yield { n: 2 }
      },
    })
    expect(await objects.run({})).toEqual({ n: 2 })
  })

  test("gives the structured value of a response", async () => {
    const chart = tool({
      name: "chart",
      description: "A test",
      input: {},
      execute: () => toolResponse("drawn", { structured: { max: 3 } }),
    })
    expect(await chart.run({})).toEqual({ max: 3 })
    const said = tool({ name: "said", description: "A test", input: {}, execute: () => toolResponse("drawn") })
    expect(await said.run({})).toBeUndefined()
  })

  test("throws what the tool throws", async () => {
    const fault = new RangeError("off")
    const broken = tool({
      name: "broken",
      description: "A test",
      input: {},
      execute: () => {
        throw fault
      },
    })
    await expect(broken.run({})).rejects.toBe(fault)
  })

  test("of an external tool throws external_tool", async () => {
    const ask = tool({ name: "ask", description: "A test", input: {} })
    expect(ask.external).toBe(true)
    await expect(ask.run({})).rejects.toMatchObject({ code: "external_tool" })
  })

  test("of a tool that suspends throws tool_suspended; inside another call it suspends that call", async () => {
    const wait = tool({
      name: "wait",
      description: "A test",
      input: {},
      execute: (_input, ctx) => ctx.suspend("by night"),
    })
    await expect(wait.run({})).rejects.toMatchObject({ code: "tool_suspended", details: { reason: "by night" } })
    const outer = tool({ name: "outer", description: "A test", input: {}, execute: (_input, ctx) => wait.run({}, ctx) })
    const result = await resultOf(outer)
    expect(result).toMatchObject({
      state: "suspended",
      metadata: { pending: { reason: "by night", toolUse: { name: "outer" } } },
    })
  })

  test("passes context, progress and the signal of the call on", async () => {
    const inner = tool({
      name: "inner",
      description: "A test",
      input: {},
      execute: (_input, ctx) => {
        ctx.emit("half")
        return `${ctx.toolUseId} ${ctx.signal.aborted}`
      },
    })
    const outer = tool({
      name: "outer",
      description: "A test",
      input: {},
      execute: (_input, ctx) => inner.run({}, ctx),
    })
    const run = new Toolkit({ tools: [outer] }).execute(use("outer"))
    const progress: unknown[] = []
    run.listen((chunk) => progress.push(chunk.data))
    expect((await run.result).output).toEqual([{ type: "text", text: "call_1 false" }])
    expect(progress).toEqual(["half"])
  })

  test("alone ignores progress and has a signal that never aborts", async () => {
    const inner = tool({
      name: "inner",
      description: "A test",
      input: {},
      execute: (_input, { emit, signal, toolUseId }) => {
        emit(1)
        return [signal.aborted, toolUseId]
      },
    })
    expect(await inner.run({})).toEqual([false, ""])
  })

  test("stops a generator when the call around it is over", async () => {
    let closed = false
    const endless = tool({
      name: "endless",
      description: "A test",
      input: {},
      *execute() {
        try {
          for (;;) yield "x"
        } finally {
          closed = true
        }
      },
    })
    const outer = tool({
      name: "outer",
      description: "A test",
      input: {},
      execute: (_input, ctx) => endless.run({}, ctx),
    })
    const run = new Toolkit({ tools: [outer] }).execute(use("outer"))
    run.cancel()
    expect((await run.result).state).toBe("interrupted")
    await new Promise((resolve) => setTimeout(resolve))
    expect(closed).toBe(true)
  })
})

describe("guards", () => {
  const weather = tool({
    name: "weather",
    description: "A test",
    input: z.object({ city: z.string() }),
    execute: ({ city }) => ({ city, celsius: 21 }),
  })

  test("recognise a tool's calls, if their arguments parsed", () => {
    expect(isToolUse(use("weather", { city: "Rome" }), weather)).toBe(true)
    expect(isToolUse(use("time"), weather)).toBe(false)
    expect(isToolUse({ ...use("weather"), rawInput: "{" }, weather)).toBe(false)
  })

  test("recognise a tool's successes that hold their value", async () => {
    const result = await resultOf(weather, { city: "Rome" })
    expect(isToolResult(result, weather) && result.structured.celsius).toBe(21)
    expect(isToolResult(await resultOf(weather, {}), weather)).toBe(false)
    expect(isToolResult({ ...result, name: "time" }, weather)).toBe(false)
    const long = tool({ name: "long", description: "A test", input: {}, execute: () => ({ text: "x".repeat(200) }) })
    expect(isToolResult(await resultOf(long, {}, {}, { outputLimit: 100 }), long)).toBe(false)
  })
})
