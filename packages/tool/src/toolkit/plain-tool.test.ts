import { textOf } from "@agentscope-ts/message"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { use } from "../fixtures/calls.ts"
import { type AnyTool, Toolkit, tool } from "../index.ts"

const parameters = { type: "object", properties: { q: { type: "string" } }, required: ["q"] }
const base = { name: "p", description: "A plain object" }
const register = (value: unknown, options?: object) => {
  const kit = new Toolkit()
  kit.register(value as AnyTool & { readonly run?: never }, options)
  return kit
}
const text = async (kit: Toolkit, input = {}, name = "p") => textOf(await kit.execute(use(name, input)).result)

describe("an object that is a tool by its shape", () => {
  test("with a schema, or with parameters of any kind, is validated and run as any", async () => {
    const run = async (input: unknown) => input
    for (const shape of [
      { ...base, schema: { ...base, parameters }, external: false, run },
      { ...base, schema: { ...base, parameters }, run },
      { ...base, parameters, run },
      { ...base, parameters: z.object({ q: z.string() }), run },
    ]) {
      const kit = register(shape)
      expect(kit.schemas()).toMatchObject([{ ...base, parameters: { properties: { q: { type: "string" } } } }])
      expect(await text(kit, { q: "x" })).toBe('{"q":"x"}')
      expect(await text(kit, { q: [] })).toMatch(/^Invalid arguments for the tool "p": q: /)
    }
  })

  test("may be an instance of a class, with what is private to it", async () => {
    class Counter {
      readonly name = "p"
      readonly description = "Counts"
      readonly parameters = { type: "object", properties: {} }
      readonly strict = true
      readonly effects = "none"
      #count = 0
      async run() {
        return ++this.#count
      }
    }
    const kit = register(new Counter())
    expect(await text(kit)).toBe("1")
    expect(await text(kit)).toBe("2")
    expect(kit.schemas()[0]?.strict).toBe(true)
    expect((await kit.execute(use("p"), { approval: { mode: "read_only" } }).result).state).toBe("success")
  })

  test("that is external waits, validated too", async () => {
    const kit = register({ ...base, parameters, external: true })
    expect(kit.isExternalTool("p")).toBe(true)
    expect((await kit.execute(use("p", { q: "x" })).result).state).toBe("suspended")
    expect((await kit.execute(use("p", {})).result).state).toBe("error")
  })

  test("takes presets, extensions and postprocess like any", async () => {
    const kit = new Toolkit()
    kit.register({ ...base, parameters, external: false, run: async (input: unknown) => input } as never, {
      presetArgs: { q: "preset" },
      extendInput: z.object({ more: z.number() }),
      postprocess: (result) => ({ ...result, output: [{ type: "text", text: `<${textOf(result)}>` }] }),
    })
    expect(Object.keys(kit.schemas()[0]?.parameters.properties ?? {})).toEqual(["more"])
    expect(await text(kit, { q: "model", more: 1 })).toBe('<{"q":"preset","more":1}>')
  })

  test("a copy of a tool whose run is another runs that", async () => {
    const inner = tool({
      ...base,
      input: z.object({ q: z.string().default("none") }),
      execute: ({ q }) => q,
      needsApproval: true,
    })
    const wrapped = { ...inner, run: async (input: { q?: string | undefined }) => `<${await inner.run(input)}>` }
    const kit = register(wrapped)
    const approval = { allow: ["p"] }
    expect(textOf(await kit.execute(use("p"), { approval }).result)).toBe("<none>")
    expect((await kit.execute(use("p")).result).state).toBe("suspended")
    expect(textOf(await kit.execute(use("p", { q: [] }), { approval }).result)).toContain("Invalid arguments")
  })
})

describe("what is no tool is told from one, with what to do", () => {
  test.each<[string, unknown, RegExp]>([
    ["nothing", undefined, /no tool but undefined/],
    ["null", null, /no tool but null/],
    ["a name", "t", /no tool but string/],
    ["a function", function search() {}, /a function \(search\): give it to tool\(\) as execute/],
    ["a list", [], /register one tool at a time/],
    ["a schema of OpenAI", { type: "function", function: { name: "p" } }, /registerSchema/],
    ["a schema of MCP", { inputSchema: {} }, /registerSchema/],
    ["an empty object", {}, /without a name/],
    ["no run", { ...base, parameters }, /"p" has no run\(\)/],
    ["no schema", { ...base, run: () => 1 }, /"p" has no schema/],
    ["an empty schema", { ...base, schema: {}, run: () => 1 }, /schema without parameters/],
    ["no schema at all", { ...base, parameters: 5, run: () => 1 }, /is no schema/],
  ])("%s", (_, value, message) => {
    expect(() => register(value)).toThrow(message)
    expect(() => register(value)).toThrow(expect.objectContaining({ code: expect.stringMatching(/^invalid_/) }))
    expect(() => new Toolkit({ tools: [value as AnyTool] })).toThrow(message)
  })

  test.each<[() => unknown, RegExp]>([
    [() => new Toolkit({ tool: [] } as never), /no option "tool" of new Toolkit\(\)\. Did you mean "tools"/],
    [() => new Toolkit({ tools: {} } as never), /tools has to be a list/],
    [() => new Toolkit([] as never), /have to be an object/],
    [() => new Toolkit({ metaTool: true } as never), /metaTool is true: it has to be one of "reset_tools"/],
    [() => new Toolkit({ retry: 3 } as never), /retry has to be \{ maxRetries/],
    [() => new Toolkit({ groups: [{ name: "g", description: "d", tool: [] } as never] }), /"tool" of a tool group/],
    [() => new Toolkit({ groups: [{ name: "g" } as never] }), /"g" has no description/],
    [() => register({ ...base, parameters, run: () => 1 }, { presets: {} }), /no option "presets" of register\(\)/],
    [() => register({ ...base, parameters, run: () => 1 }, { onNameClash: "replace" }), /onNameClash is "replace"/],
    [() => tool(null as never), /tool\(\) takes one object/],
    [() => tool({ ...base, input: {}, effects: "read" as never, execute: () => 1 }), /effects "read": say "none"/],
    ...(
      [
        ["needsApproval", "yes", /needsApproval "yes": give a boolean or function/],
        ["needsApproval", null, /needsApproval null/],
        ["rules", {}, /rules \{\}: give \{ match, suggest \}/],
        ["strict", "true", /strict "true": give a boolean/],
        ["concurrencySafe", 0, /concurrencySafe 0: give a boolean/],
        ["timeoutMs", "5", /timeoutMs "5": give milliseconds/],
        ["effects", "read", /effects "read": say "none"/],
      ] as const
    ).flatMap(([option, value, message]): [() => unknown, RegExp][] => [
      [() => tool({ ...base, input: {}, [option]: value, execute: () => 1 }), message],
      [() => register({ ...base, parameters, [option]: value, run: () => 1 }), message],
    ]),
    [() => tool({ ...base, input: {}, output: { type: "objct" }, execute: () => 1 }), /output.*Did you mean "object"/],
  ])("options: %s", (attempt, message) => {
    expect(attempt).toThrow(message)
    expect(attempt).toThrow(expect.objectContaining({ code: expect.stringMatching(/^invalid_/) }))
  })
})

describe("an instance of a class", () => {
  class Query {
    get name() {
      return "query"
    }
    get description() {
      return "Ask"
    }
    get strict() {
      return true
    }
    needsApproval = false
    run() {
      return this instanceof Query ? "ran" : "lost"
    }
  }
  const parameters = { type: "object", properties: {} } as const
  test.each([
    ["parameters", { parameters }],
    ["a schema", { schema: { name: "query", parameters } }],
  ])("with %s is told with its description and strict, and asks where it says so", async (_, more) => {
    for (const needsApproval of [false, true]) {
      const kit = new Toolkit()
      kit.register(Object.assign(new Query(), { ...more, needsApproval }) as never)
      expect(kit.schemas()).toEqual([{ name: "query", description: "Ask", strict: true, parameters }])
      const { result } = kit.execute({ type: "tool_use", id: "1", name: "query", input: {} })
      expect((await result).state).toBe(needsApproval ? "suspended" : "success")
    }
  })
})
