import { AgentScopeError } from "@agentscope-ts/message"
import { describe, expect, test, vi } from "vitest"
import { z } from "zod"
import { use } from "../fixtures/calls.ts"
import { type AnyTool, Toolkit, type ToolSource, tool } from "../index.ts"

const named = (name: string): AnyTool =>
  tool({
    name,
    description: "A test",
    input: z.object({ token: z.string().optional() }),
    execute: (input) => JSON.stringify(input),
  })
const source = (name: string, ...tools: string[]) => ({
  name,
  listTools: vi.fn<ToolSource["listTools"]>(async () => tools.map(named)),
})
const names = (kit: Toolkit) => kit.schemas().map((schema) => schema.name)
const code = (value: string) => expect.objectContaining({ code: value })

/** A source that answers when it is told to. */
function slow(name: string, ...tools: string[]) {
  const waiting: { resolve: (tools: AnyTool[]) => void; reject: (error: Error) => void }[] = []
  const listTools = vi.fn(() => new Promise<AnyTool[]>((resolve, reject) => waiting.push({ resolve, reject })))
  return {
    name,
    listTools,
    answer: () => waiting.shift()?.resolve(tools.map(named)),
    fail: () => waiting.shift()?.reject(new Error("down")),
  }
}

describe("a source registered by hand", () => {
  test("has its tools listed and registered", async () => {
    const kit = new Toolkit({ groups: [{ name: "web", description: "A test", active: true }] })
    await kit.register(source("browser", "open", "click"), { group: "web" })
    expect(names(kit)).toEqual(["reset_tools", "open", "click"])
    expect((await kit.execute(use("open")).result).state).toBe("success")
  })

  test("can be taken in part; names that it does not have are errors", async () => {
    const kit = new Toolkit()
    await kit.register(source("a", "one", "two", "three"), { enable: ["one", "two"] })
    await kit.register(source("b", "four", "five"), { disable: ["five"] })
    expect(names(kit)).toEqual(["one", "two", "four"])
    await expect(kit.register(source("c", "browser_run"), { disable: ["browser_rn"] })).rejects.toThrow(
      'Did you mean "browser_run"?',
    )
    await expect(kit.register(source("c", "x"), { enable: ["y"] })).rejects.toEqual(code("unknown_tool"))
    await expect(kit.register(source("c", "x"), { enable: ["x"], disable: ["x"] })).rejects.toEqual(
      code("invalid_argument"),
    )
    expect(names(kit)).toEqual(["one", "two", "four"])
  })

  test("registers all of its tools or none", async () => {
    const kit = new Toolkit({ tools: [named("b")] })
    await expect(kit.register(source("s", "a", "b"))).rejects.toEqual(code("name_clash"))
    expect(names(kit)).toEqual(["b"])
    await kit.register(source("s", "a", "b"), { onNameClash: "rename" })
    expect(names(kit)).toEqual(["b", "a", "b_2"])
  })

  test("gives presets to those of its tools that take them", async () => {
    const other = tool({
      name: "other",
      description: "A test",
      input: z.object({}),
      execute: (input) => JSON.stringify(input),
    })
    const kit = new Toolkit()
    await kit.register({ name: "s", listTools: async () => [named("a"), other] }, { presetArgs: { token: "t" } })
    expect((await kit.execute(use("a")).result).output).toEqual([{ type: "text", text: '{"token":"t"}' }])
    expect((await kit.execute(use("other")).result).output).toEqual([{ type: "text", text: "{}" }])
    await expect(kit.register(source("x", "y"), { presetArgs: { key: "t" } })).rejects.toEqual(code("invalid_preset"))
  })

  test("that fails rejects with source_failed, naming it", async () => {
    const kit = new Toolkit()
    const cause = new Error("connection refused")
    const error = await kit
      .register({ name: "notes", listTools: () => Promise.reject(cause) })
      .catch((thrown: unknown) => thrown)
    expect(AgentScopeError.is(error, "source_failed") && error).toMatchObject({
      cause,
      message: expect.stringContaining('"notes"'),
      details: { source: "notes" },
    })
  })

  test("can be removed by name", async () => {
    const kit = new Toolkit({ tools: [named("own")] })
    await Promise.all([kit.register(source("a", "one")), kit.register(source("b", "two"))])
    await kit.removeSources(["a", "unknown"])
    expect(names(kit)).toEqual(["own", "two"])
  })
})

describe("sources given as mcps", () => {
  test("are listed once, all at the same time, with ready()", async () => {
    const [a, b, inGroup] = [slow("a", "one"), slow("b", "two"), slow("c", "three")]
    const kit = new Toolkit({
      mcps: [a, b],
      groups: [{ name: "g", description: "A test", active: true, mcps: [inGroup] }],
    })
    expect(names(kit)).toEqual(["reset_tools"])
    const ready = kit.ready()
    expect(kit.ready()).toBe(ready)
    for (const one of [a, b, inGroup]) one.answer()
    await ready
    expect(names(kit)).toEqual(expect.arrayContaining(["one", "two", "three"]))
    await kit.ready()
    for (const one of [a, b, inGroup]) expect(one.listTools).toHaveBeenCalledTimes(1)
  })

  test("without any, ready() has nothing to do", async () => {
    const kit = new Toolkit()
    expect(kit.ready()).toBe(kit.ready())
    await kit.ready()
  })

  test("that fail are tried again; the others are there", async () => {
    const [up, down] = [source("up", "one"), slow("down", "two")]
    const kit = new Toolkit({ mcps: [up, down] })
    const first = kit.ready()
    down.fail()
    await expect(first).rejects.toEqual(code("source_failed"))
    expect(names(kit)).toEqual(["one"])
    const second = kit.ready()
    down.answer()
    await second
    expect(names(kit)).toEqual(["one", "two"])
    expect(up.listTools).toHaveBeenCalledTimes(1)
  })

  test("of a group that comes while others are listed are not listed twice", async () => {
    const [first, second] = [slow("first", "one"), slow("second", "two")]
    const kit = new Toolkit({ mcps: [first] })
    const early = kit.ready()
    kit.createGroup({ name: "g", description: "A test", active: true, mcps: [second] })
    const late = kit.ready()
    first.answer()
    second.answer()
    await Promise.all([early, late])
    expect(names(kit)).toEqual(expect.arrayContaining(["one", "two"]))
    expect(first.listTools).toHaveBeenCalledTimes(1)
  })

  test("that were removed while they were listed do not come back", async () => {
    const [a, b, c] = [slow("a", "one"), slow("b", "two"), slow("c", "three")]
    const kit = new Toolkit({ mcps: [a, b], groups: [{ name: "g", description: "A test", active: true, mcps: [c] }] })
    const ready = kit.ready()
    await kit.removeSources(["a"])
    kit.removeGroups(["g"])
    for (const one of [a, b, c]) one.answer()
    await ready
    expect(names(kit)).toEqual(["two"])
  })
})

test.each<[string, Partial<ToolSource>]>([
  ["nothing", { listTools: async () => undefined as never }],
  ["a text", { listTools: async () => "tools" as never }],
  ["a hole", { listTools: async () => [null] as never }],
  [
    "a listener's error",
    {
      onToolsChanged: () => {
        throw new Error("no")
      },
    },
  ],
])("a source that answers with %s fails with its name, first and later", async (_, broken) => {
  const kit = new Toolkit()
  const odd = { ...source("odd", "a"), ...broken }
  await expect(kit.register(odd)).rejects.toMatchObject({ code: "source_failed", details: { source: "odd" } })
  let changed = () => {}
  const onToolsChanged = (listener: () => void) => ((changed = listener), () => {})
  const fine = { ...source("fine", "a"), onToolsChanged }
  await kit.register(fine)
  if (!broken.listTools) return
  fine.listTools.mockImplementation(broken.listTools)
  changed()
  await expect(kit.refresh()).rejects.toMatchObject({ code: "source_failed", details: { source: "fine" } })
  expect(names(kit)).toEqual(["a"])
})
