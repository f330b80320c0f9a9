import { type JsonObject, type JsonSchema, textOf } from "@agentscope-ts/message"
import type { ToolSchema } from "@agentscope-ts/model"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { plain, use } from "../fixtures/calls.ts"
import { type AnyTool, Toolkit, tool } from "../index.ts"

const named = (name: string, options: object = {}): AnyTool =>
  tool({ name, description: `The tool ${name}`, input: z.object({}), ...options, execute: () => name })
const names = (kit: Toolkit) => kit.schemas().map((schema) => schema.name)
const code = (value: string) => expect.objectContaining({ code: value })
const execute = (kit: Toolkit, name: string, input: JsonObject = {}) => kit.execute(use(name, input)).result

describe("registering tools", () => {
  test("a tool is told to models and executed", async () => {
    const kit = new Toolkit({ tools: [named("a")] })
    kit.register(named("b"))
    expect(names(kit)).toEqual(["a", "b"])
    expect(textOf(await execute(kit, "b"))).toBe("b")
  })

  test("a taken name throws, unless it is to be replaced, skipped or changed", async () => {
    const kit = new Toolkit({ tools: [named("a", { description: "first" }), named("b")] })
    const second = named("a", { description: "second" })
    expect(() => kit.register(second)).toThrow(code("name_clash"))
    expect(() => new Toolkit({ tools: [named("a"), named("a")] })).toThrow(code("name_clash"))
    kit.register(second, { onNameClash: "skip" })
    expect(kit.schemas()[0]?.description).toBe("first")
    kit.register(second, { onNameClash: "rename" })
    kit.register(second, { onNameClash: "rename" })
    expect(names(kit)).toEqual(["a", "b", "a_2", "a_3"])
    expect((await execute(kit, "a_2")).name).toBe("a_2")
    kit.register(second, { onNameClash: "override" })
    expect(kit.schemas().map(({ name, description }) => `${name} ${description}`)[0]).toBe("a second")
    expect(names(kit)).toEqual(["a", "b", "a_2", "a_3"])
  })

  test("a changed name is no longer than providers take", () => {
    const long = "x".repeat(64)
    const kit = new Toolkit({ tools: [named(long)] })
    kit.register(named(long), { onNameClash: "rename" })
    expect(names(kit)[1]).toBe(`${"x".repeat(62)}_2`)
  })

  test("a tool copied under another name is told under that name", async () => {
    const kit = new Toolkit({ tools: [{ ...named("a"), name: "b" }] })
    expect(names(kit)).toEqual(["b"])
    expect((await execute(kit, "b")).state).toBe("success")
  })

  test("any object of a tool's shape is one, and validates itself", async () => {
    const schema: ToolSchema = { name: "own", description: "Own", parameters: { type: "object" } }
    const own = {
      name: "own",
      description: "Own",
      schema,
      external: false,
      run: async (input: JsonObject) => `got ${JSON.stringify(input)}`,
    }
    const kit = new Toolkit({ tools: [own] })
    expect(textOf(await execute(kit, "own", { x: 1 }))).toBe('got {"x":1}')
    const { run: _, ...runless } = own
    expect(() => new Toolkit({ tools: [runless] })).toThrow(code("invalid_tool"))
    expect(() => new Toolkit({ tools: [{ ...own, name: "not a name" }] })).toThrow(code("invalid_tool"))
  })

  test("an unknown group throws, with the one that was meant", () => {
    const kit = new Toolkit({ groups: [{ name: "database", description: "A test" }] })
    expect(() => kit.register(named("a"), { group: "databse" })).toThrow('Did you mean "database"?')
    expect(() => kit.register(named("a"), { group: "x" })).toThrow(code("unknown_group"))
  })

  test("numbers that make no sense are refused", () => {
    for (const options of [
      { timeoutMs: 0 },
      { timeoutMs: Number.NaN },
      { outputLimit: 0 },
      { retry: { maxRetries: -1 } },
    ]) {
      expect(() => new Toolkit(options)).toThrow(code("invalid_argument"))
    }
  })
})

describe("tools of which only the schema is known", () => {
  const schema: ToolSchema = {
    name: "query_database",
    description: "Query",
    parameters: { type: "object", properties: { sql: { type: "string" } }, required: ["sql"] },
    strict: true,
  }

  test("are told as they are, and suspend", async () => {
    const kit = new Toolkit({ groups: [{ name: "db", description: "A test", active: true }] })
    kit.registerSchema([schema, { name: "now", parameters: {} }])
    kit.registerSchema({ ...schema, name: "other" }, { group: "db" })
    expect(kit.schemas()[0]).toEqual(schema)
    expect(names(kit)).toEqual(["query_database", "now", "reset_tools", "other"])
    expect([kit.isExternalTool("query_database"), kit.isExternalTool("nothing")]).toEqual([true, false])
    const result = await execute(kit, "query_database", { sql: "select 1" })
    expect(result).toMatchObject({
      state: "suspended",
      metadata: { pending: { kind: "external", toolUse: { input: { sql: "select 1" } } } },
    })
    expect((await execute(kit, "query_database", { sql: 1 })).state).toBe("error")
  })

  test("clash by name like any other", () => {
    const kit = new Toolkit()
    kit.registerSchema(schema)
    expect(() => kit.registerSchema([{ name: "fine", parameters: {} }, schema])).toThrow(code("name_clash"))
    expect(names(kit)).toEqual(["query_database"])
    expect(() => kit.registerSchema({ name: "", parameters: {} })).toThrow(code("invalid_tool"))
    // a server's names are what they are: models fit them to their providers
    kit.registerSchema({ name: "a.b/c", parameters: {} })
    expect(names(kit)).toEqual(["query_database", "a.b/c"])
  })
})

describe("removing", () => {
  const full = (allowToolDeletion?: boolean) =>
    new Toolkit({
      tools: [named("a"), named("b")],
      groups: [{ name: "g", description: "A test", active: true, tools: [named("c")] }],
      allowToolDeletion,
    })

  test("a tool, a group with its tools, everything", async () => {
    const kit = full()
    expect([kit.remove("a"), kit.remove("a")]).toEqual([true, false])
    expect(textOf(await execute(kit, "a"))).toContain('no tool "a"')
    kit.removeGroups(["g"])
    expect(names(kit)).toEqual(["b"])
    const other = full()
    other.clear()
    expect(names(other)).toEqual([])
    other.createGroup({ name: "g", description: "A test" })
  })

  test("is refused where the options say so, in every way", async () => {
    const kit = full(false)
    const refusals = [
      () => kit.remove("a"),
      () => kit.clear(),
      () => kit.removeGroups(["g"]),
      () => kit.register(named("a"), { onNameClash: "override" }),
    ]
    for (const refusal of refusals) expect(refusal).toThrow(code("deletion_not_allowed"))
    await expect(kit.removeSources(["x"])).rejects.toEqual(code("deletion_not_allowed"))
    expect(names(kit)).toEqual(["a", "b", "reset_tools", "c"])
  })
})

describe("a call that cannot run is an error for the model", () => {
  const kit = new Toolkit({
    tools: [
      named("get_weather"),
      tool({
        name: "book",
        description: "A test",
        input: z.object({ day: z.string(), seats: z.array(z.object({ n: z.int() })) }),
        execute: () => "booked",
      }),
    ],
    groups: [
      { name: "db", description: "A test", tools: [named("query")] },
      { name: "admin", description: "A test", manageable: false, tools: [named("drop")] },
    ],
  })

  test.each<[string, ReturnType<typeof use>, string, string[]]>([
    [
      "an unknown tool",
      use("get_wether"),
      "unknown_tool",
      ['no tool "get_wether"', 'Did you mean "get_weather"?', "get_weather, book, reset_tools"],
    ],
    ["an inactive tool", use("query"), "tool_inactive", ['group "db"', '"reset_tools"']],
    ["one that only the program can switch on", use("drop"), "tool_inactive", ['group "admin"', "cannot be used now"]],
    [
      "arguments that do not fit",
      use("book", { seats: [{ n: 1 }, { n: "x" }] }),
      "invalid_input",
      ['"book"', "day: ", "seats[1].n: "],
    ],
    [
      "arguments that are no JSON",
      { ...use("book"), rawInput: '{"day":' },
      "invalid_input",
      ["not one valid JSON object", String.raw`{\"day\":`],
    ],
  ])("%s", async (_, call, expected, parts) => {
    const result = await kit.execute(call).result
    expect(result.state).toBe("error")
    expect(result.metadata).toMatchObject({ error: { code: expected } })
    for (const part of parts) expect(textOf(result)).toContain(part)
  })

  test("long arguments that are no JSON are shown in part", async () => {
    const text = textOf(await kit.execute({ ...use("book"), rawInput: `{"day":"${"😀".repeat(5000)}` }).result)
    expect(text.length).toBeLessThan(500)
    expect(text.isWellFormed()).toBe(true)
  })

  test("also where there are no tools at all", async () => {
    expect(textOf(await execute(new Toolkit(), "x"))).toBe('There is no tool "x". There are no tools.')
  })

  test("a null for an optional parameter counts as absent", async () => {
    let seen: unknown
    const strict = tool({
      name: "s",
      description: "A test",
      strict: true,
      input: z.object({ a: z.string(), b: z.string().optional() }),
      execute: (input) => {
        seen = input
        return ""
      },
    })
    expect((await execute(new Toolkit({ tools: [strict] }), "s", { a: "x", b: null })).state).toBe("success")
    expect(seen).toEqual({ a: "x" })
  })
})

describe("preset arguments", () => {
  const seen: unknown[] = []
  const mail = tool({
    name: "mail",
    description: "A test",
    input: z.object({ to: z.string(), apiKey: z.string().min(3), from: z.string().default("me") }),
    execute: (input) => {
      seen.push(input)
      return "sent"
    },
  })
  const kitWith = (presetArgs: { apiKey?: string; from?: string }) => {
    const kit = new Toolkit()
    kit.register(mail, { presetArgs })
    return kit
  }

  test("vanish from the schema, and the model cannot override them", async () => {
    const kit = kitWith({ apiKey: "key" })
    expect(kit.schemas()[0]?.parameters).toEqual({
      type: "object",
      properties: { to: { type: "string" }, from: { type: "string", default: "me" } },
      required: ["to"],
    })
    expect(mail.schema.parameters.properties).toHaveProperty("apiKey")
    seen.length = 0
    expect((await execute(kit, "mail", { to: "ann" })).state).toBe("success")
    expect((await execute(kit, "mail", { to: "ann", apiKey: "stolen" })).state).toBe("success")
    expect(seen).toEqual([1, 2].map(() => ({ to: "ann", apiKey: "key", from: "me" })))
  })

  test("that fill everything leave no parameters", () => {
    const kit = new Toolkit()
    kit.register(tool({ name: "a", description: "A test", input: z.object({ x: z.string() }), execute: () => "" }), {
      presetArgs: { x: "1" },
    })
    expect(kit.schemas()[0]?.parameters).toEqual({ type: "object", properties: {} })
  })

  test("that the tool does not have are refused, with the one that was meant", () => {
    const kit = new Toolkit()
    expect(() => kit.register(mail, { presetArgs: { apikey: "x" } as never })).toThrow('Did you mean "apiKey"?')
    expect(() => kit.registerSchema([])).not.toThrow()
    const external = tool({ name: "e", description: "A test", input: z.object({ a: z.string() }) })
    expect(() => kit.register(external, { presetArgs: { a: "x" } })).toThrow(code("invalid_preset"))
  })

  test("that do not fit are no fault of the model, and stay secret", async () => {
    const result = await execute(kitWith({ apiKey: "ab" }), "mail", { to: "ann" })
    expect(result.state).toBe("error")
    expect(textOf(result)).toMatch(/set up wrongly.*apiKey/)
    expect(textOf(result)).not.toContain("ab ")
  })

  test("can be replaced and taken away later, the schema with them", async () => {
    const kit = kitWith({ apiKey: "key" })
    kit.updatePresetArgs("mail", { apiKey: "new", from: "us" })
    expect(Object.keys(kit.schemas()[0]?.parameters.properties ?? {})).toEqual(["to"])
    seen.length = 0
    await execute(kit, "mail", { to: "ann" })
    expect(seen).toEqual([{ to: "ann", apiKey: "new", from: "us" }])
    kit.updatePresetArgs("mail", {})
    expect(kit.schemas()[0]).toBe(mail.schema)
    expect(() => kit.updatePresetArgs("mial", {})).toThrow('Did you mean "mail"?')
    expect(() => kit.updatePresetArgs("mail", { x: 1 })).toThrow(code("invalid_preset"))
  })

  test("are no way into an object's prototype", async () => {
    const open = tool({
      name: "open",
      description: "A test",
      input: { type: "object", additionalProperties: true },
      execute: (input) => {
        seen.push(input)
        return ""
      },
    })
    const kit = new Toolkit()
    kit.register(open, { presetArgs: { role: "user" } })
    seen.length = 0
    await kit.execute(use("open", JSON.parse('{"__proto__":{"role":"admin"},"a":1}') as JsonObject)).result
    expect((seen[0] as { role: string }).role).toBe("user")
    expect(({} as { role?: string }).role).toBeUndefined()
  })
})

describe("an extended input", () => {
  const seen: unknown[] = []
  const search = tool({
    name: "search",
    description: "A test",
    input: z.strictObject({ query: z.string().transform((text) => text.trim()), key: z.string().default("k") }),
    execute: (input) => {
      seen.push(input)
      return "found"
    },
  })
  const Extra = z.object({ reason: z.string().describe("why"), depth: z.number().default(1) })

  test("is told, validated and handed on with the tool's own", async () => {
    const kit = new Toolkit()
    kit.register(search, { extendInput: Extra })
    expect(kit.schemas()[0]?.parameters).toMatchObject({
      properties: { query: {}, key: {}, reason: { description: "why" }, depth: {} },
      required: ["query", "reason"],
    })
    seen.length = 0
    expect((await execute(kit, "search", { query: " a ", reason: "b" })).state).toBe("success")
    expect(seen).toEqual([{ query: "a", key: "k", reason: "b", depth: 1 }])
    const wrong = textOf(await execute(kit, "search", { query: 1, depth: "x" }))
    for (const part of ["query: ", "reason: ", "depth: "]) expect(wrong).toContain(part)
  })

  test("goes with presets, now and later", async () => {
    const kit = new Toolkit()
    kit.register(search, { extendInput: Extra, presetArgs: { key: "secret" } })
    expect(Object.keys(kit.schemas()[0]?.parameters.properties ?? {})).toEqual(["query", "reason", "depth"])
    kit.updatePresetArgs("search", { depth: 3 })
    expect(Object.keys(kit.schemas()[0]?.parameters.properties ?? {})).toEqual(["query", "key", "reason"])
    seen.length = 0
    await execute(kit, "search", { query: "a", reason: "b" })
    expect(seen).toEqual([{ query: "a", key: "k", reason: "b", depth: 3 }])
  })

  test("may not have a parameter that the tool has, nor be anything but an object", () => {
    const kit = new Toolkit()
    expect(() => kit.register(search, { extendInput: z.object({ query: z.number() }) })).toThrow(code("name_clash"))
    expect(() => kit.register(search, { extendInput: z.string() })).toThrow(code("invalid_schema"))
    expect(kit.schemas()).toEqual([])
  })

  test("keeps both schemas' definitions apart", () => {
    interface Tree {
      readonly left?: Tree | undefined
    }
    const Tree: z.ZodType<Tree> = z.lazy(() => z.object({ left: Tree.optional() }))
    interface List {
      readonly next?: List | undefined
    }
    const List: z.ZodType<List> = z.lazy(() => z.object({ next: List.optional() }))
    const grow = tool({ name: "grow", description: "A test", input: z.object({ tree: Tree }), execute: () => "" })
    const kit = new Toolkit()
    kit.register(grow, { extendInput: z.object({ list: List }) })
    const parameters = kit.schemas()[0]?.parameters as {
      properties: Record<string, { $ref: string }>
      $defs: Record<string, { properties: object }>
    }
    const target = (key: string) =>
      parameters.$defs[parameters.properties[key]?.$ref.split("/").at(-1) ?? ""]?.properties
    expect(target("tree")).toHaveProperty("left")
    expect(target("list")).toHaveProperty("next")
    expect(JSON.stringify(target("list"))).toContain("extended_")
  })
})

describe("what models are told", () => {
  test("is the same array until something changes, for all conversations with the same groups on", () => {
    const kit = new Toolkit({
      tools: [named("a")],
      groups: [{ name: "g", description: "A test", tools: [named("c")] }],
    })
    const [one, two] = [kit.newState(), kit.newState()]
    const first = kit.schemas()
    expect(kit.schemas()).toBe(first)
    expect(kit.schemas(one)).toBe(first)
    one.updateGroups(["g"], true)
    const active = kit.schemas(one)
    expect(active).not.toBe(first)
    two.updateGroups(["g"], true)
    expect(kit.schemas(two)).toBe(active)
    expect(kit.schemas()).toBe(first)
    two.updateGroups(["g"], false)
    expect(kit.schemas(two)).toBe(first)
    const changes = [
      () => kit.register(named("b")),
      () => kit.registerSchema({ name: "x", parameters: {} }),
      () => void kit.remove("x"),
      () => kit.createGroup({ name: "h", description: "A test" }),
      () => kit.updatePresetArgs("a", {}),
      () => kit.removeGroups(["h"]),
    ]
    for (const change of changes) {
      const before = [kit.schemas(), kit.schemas(one)]
      change()
      expect(kit.schemas()).not.toBe(before[0])
      expect(kit.schemas(one)).not.toBe(before[1])
      expect(kit.schemas()).toBe(kit.schemas(two))
    }
    kit.updateGroups(["g"], true)
    expect(names(kit)).toEqual(["a", "b", "reset_tools", "c"])
  })

  test("does not grow without end with the combinations of groups", () => {
    const groups = Array.from({ length: 12 }, (_, i) => ({ name: `g${i}`, description: "A test" }))
    const kit = new Toolkit({ groups })
    const state = kit.newState()
    for (let n = 0; n < 3000; n++) {
      state.updateGroups([`g${n % 12}`], n % 5 < 3)
      expect(kit.schemas(state)).toBe(kit.schemas(state))
    }
  })
})

test("whether a tool may run beside others is known by name", () => {
  const kit = new Toolkit({
    tools: [named("a"), named("b", { concurrencySafe: false })],
    groups: [{ name: "g", description: "A test" }],
  })
  expect(["a", "b", "reset_tools", "nothing"].map((name) => kit.isConcurrencySafe(name))).toEqual([
    true,
    false,
    false,
    true,
  ])
  expect([kit.parallel, new Toolkit({ parallel: false }).parallel]).toEqual([true, false])
})

test("a toolkit can be shared: calls of many conversations do not touch each other", async () => {
  const kit = new Toolkit({
    tools: [plain(async () => "x")],
    groups: [{ name: "g", description: "A test", tools: [named("c")] }],
  })
  const states = Array.from({ length: 100 }, () => kit.newState())
  for (const [i, state] of states.entries()) if (i % 2) state.updateGroups(["g"], true)
  const results = await Promise.all(states.map((state, i) => kit.execute(use("c", {}, `call_${i}`), { state }).result))
  expect(
    results.every((result, i) => result.id === `call_${i}` && result.state === (i % 2 ? "success" : "error")),
  ).toBe(true)
})

describe("preset arguments are hidden wherever a schema speaks of them", () => {
  const key = { key: { type: "string" } } as const
  const q = { q: { type: "string" } } as const
  const needsKey = { type: "object", properties: { ...q, ...key }, required: ["q", "key"] } as const
  const needsQ = { type: "object", properties: q, required: ["q"] } as const
  test.each<[string, JsonSchema, JsonSchema]>([
    [
      "alternatives",
      { anyOf: [needsKey, { type: "object", properties: key }] },
      { anyOf: [needsQ, { type: "object", properties: {} }] },
    ],
    [
      "parts",
      { type: "object", properties: q, allOf: [{ properties: key, required: ["key"] }] },
      { type: "object", properties: q, allOf: [{ properties: {} }] },
    ],
    ["a reference for all of it", { $ref: "#/$defs/a~1b", $defs: { "a/b": needsKey } }, needsQ],
    [
      "a reference of its own",
      {
        type: "object",
        properties: { ...q, key: { $ref: "#/$defs/Key" } },
        $defs: { Key: { type: "string", description: "sk-" } },
      },
      { type: "object", properties: q },
    ],
    [
      "definitions that are still used",
      {
        type: "object",
        properties: { q: { $ref: "#/$defs/Q" }, key: { $ref: "#/$defs/Key" } },
        $defs: { Q: { $ref: "#/$defs/T" }, T: q.q, Key: q.q },
      },
      { type: "object", properties: { q: { $ref: "#/$defs/Q" } }, $defs: { Q: { $ref: "#/$defs/T" }, T: q.q } },
    ],
    [
      "what goes with it",
      { type: "object", properties: { ...q, ...key }, dependentRequired: { key: ["q"], q: ["key"] } },
      { ...needsQ, dependentRequired: { q: [] } },
    ],
    [
      "a schema that never ends",
      {
        $ref: "#/$defs/A",
        $defs: { A: { type: "object", properties: { ...q, ...key }, allOf: [{ $ref: "#/$defs/A" }] } },
      },
      {
        type: "object",
        properties: q,
        allOf: [{ $ref: "#/$defs/A" }],
        $defs: { A: { type: "object", properties: { ...q, ...key }, allOf: [{ $ref: "#/$defs/A" }] } },
      },
    ],
  ])("%s", (_, parameters, told) => {
    const kit = new Toolkit()
    const plainTool = { name: "t", description: "A test", parameters, run: (input: unknown) => input }
    kit.register(plainTool as never, { presetArgs: { key: "sk" } })
    expect(kit.schemas()[0]?.parameters).toEqual(told)
    expect(() => kit.updatePresetArgs("t", { kee: "x" })).toThrow(code("invalid_preset"))
  })

  test("a parameter of a part is taken for extendInput too", () => {
    const part = { name: "t", description: "A test", parameters: { anyOf: [needsKey, needsQ] }, run: () => 1 }
    const extendInput = z.object({ key: z.string() })
    expect(() => new Toolkit().register(part as never, { extendInput })).toThrow(code("name_clash"))
  })
})

describe("what makes no sense is refused", () => {
  const source = { name: "s", listTools: async () => [named("a")] }
  test.each<[string, (kit: Toolkit) => unknown, string]>([
    ["one name in the place of a list", (kit) => kit.updateGroups("g" as never, true), "invalid_argument"],
    ["neither on nor off", (kit) => kit.updateGroups(["g"], "off" as never), "invalid_argument"],
    ["in a state", (kit) => kit.newState().updateGroups(["g"], 0 as never), "invalid_argument"],
    ["a group to remove", (kit) => kit.removeGroups("g" as never), "invalid_argument"],
    ["skills to remove", (kit) => kit.removeSkills("g" as never), "invalid_argument"],
    ["a group that is no name", (kit) => kit.register(named("b"), { group: 5 as never }), "unknown_group"],
    ["presets that are none", (kit) => kit.register(named("b"), { presetArgs: [] as never }), "invalid_preset"],
    ["a postprocess", (kit) => kit.register(named("b"), { postprocess: "x" as never }), "invalid_argument"],
    ["an extension", (kit) => kit.register(named("b"), { extendInput: { a: z.string() } as never }), "invalid_schema"],
    ["enable for a tool", (kit) => kit.register(named("b"), { enable: ["b"] } as never), "invalid_argument"],
    ["no schema", (kit) => kit.registerSchema(undefined as never), "invalid_tool"],
    ["a misspelt option", (kit) => kit.registerSchema([], { grup: "g" } as never), "invalid_argument"],
    [
      "a group's tools",
      (kit) => kit.createGroup({ name: "h", description: "H", tools: named("b") as never }),
      "invalid_argument",
    ],
    [
      "a group's source",
      (kit) => kit.createGroup({ name: "h", description: "H", mcps: [{} as never] }),
      "invalid_argument",
    ],
    ["a group's name", (kit) => kit.createGroup({ name: 5 as never, description: "H" }), "invalid_argument"],
    [
      "a group's state",
      (kit) => kit.createGroup({ name: "h", description: "H", active: "no" as never }),
      "invalid_argument",
    ],
    ["a source", () => new Toolkit({ mcps: [named("b") as never] }), "invalid_argument"],
    ["a flag", () => new Toolkit({ allowToolDeletion: "no" as never }), "invalid_argument"],
    ["a time", () => new Toolkit({ timeoutMs: "5" as never }), "invalid_argument"],
    ["a spill", () => new Toolkit({ spill: {} as never }), "invalid_argument"],
    ["no call", (kit) => kit.execute(undefined as never), "invalid_argument"],
    ["no options", (kit) => kit.execute(use("a"), null as never), "invalid_argument"],
  ])("%s", (_, attempt, expected) => {
    const kit = new Toolkit({ tools: [named("a")], groups: [{ name: "g", description: "G", active: true }] })
    const before = names(kit)
    expect(() => attempt(kit)).toThrow(code(expected))
    expect(names(kit)).toEqual(before)
    expect(kit.newState().activeGroups).toEqual(["g"])
  })

  test("and so it is later", async () => {
    const kit = new Toolkit()
    await kit.register(source)
    await expect(kit.removeSources("source" as never)).rejects.toThrow(code("invalid_argument"))
    expect(() => kit.register(source, { enable: "a" as never })).toThrow(code("invalid_argument"))
    expect(names(kit)).toEqual(["a"])
  })
})
