import { replaceAmbient, textOf } from "@agentscope-ts/message"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { use } from "../fixtures/calls.ts"
import { type AnyTool, Toolkit, type ToolkitOptions, type ToolSource, tool } from "../index.ts"

const named = (name: string, version = 1): AnyTool =>
  tool({
    name,
    description: `Version ${version}`,
    input: { type: "object", properties: { token: { type: "string" }, q: { type: "string" } } },
    execute: (input) => JSON.stringify(input),
  })

/** A server whose list changes. */
function server(name: string, ...tools: string[]) {
  const listeners = new Set<() => void>()
  const it = {
    name,
    tools: tools.map((one) => named(one)),
    listed: 0,
    down: false,
    listeners,
    listTools: async () => {
      it.listed++
      if (it.down) throw new Error("connection refused")
      return it.tools
    },
    onToolsChanged(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    change(...now: (string | AnyTool)[]) {
      it.tools = now.map((one) => (typeof one === "string" ? named(one) : one))
      for (const listener of listeners) listener()
    },
  }
  return it satisfies ToolSource
}
const names = (kit: Toolkit) => kit.schemas().map((schema) => schema.name)
const text = async (kit: Toolkit, name: string, input = {}) => textOf(await kit.execute(use(name, input)).result)

describe("FR-41 a source whose tools change", () => {
  test("is listed again before the next step, once however often it says so", async () => {
    const vault = server("vault", "unlock")
    const kit = new Toolkit({ mcps: [vault] })
    await kit.ready()
    expect(kit.refresh()).toBeUndefined()
    for (let i = 0; i < 5; i++) vault.change("unlock", "secret")
    await kit.refresh()
    expect(vault.listed).toBe(2)
    expect(names(kit)).toEqual(["unlock", "secret"])
    expect(await text(kit, "secret")).toBe("{}")
    expect(kit.refresh()).toBeUndefined()
    // a program without an agent asks by ready()
    vault.change("unlock")
    await kit.ready()
    expect(names(kit)).toEqual(["unlock"])
  })

  test("that drops a tool: a call of it is told who did", async () => {
    const vault = server("vault", "unlock", "secret")
    const kit = new Toolkit({ mcps: [vault] })
    await kit.ready()
    vault.change("unlock")
    await kit.refresh()
    expect(await text(kit, "secret")).toMatch(
      /^The tool "secret" was removed by its server "vault"\. The tools: unlock\./,
    )
    vault.change("unlock", "secret")
    await kit.refresh()
    expect(await text(kit, "secret")).toBe("{}")
  })

  test("keeps what it was registered with: filters, group, presets and their changes, postprocess, renaming", async () => {
    const vault = server("vault", "read", "write")
    const kit = new Toolkit({ tools: [named("read")], groups: [{ name: "g", description: "A group", active: true }] })
    await kit.register(vault, {
      group: "g",
      disable: ["write"],
      presetArgs: { token: "t" },
      onNameClash: "rename",
      postprocess: (result) => ({ ...result, output: [{ type: "text", text: `<${textOf(result)}>` }] }),
    })
    kit.updatePresetArgs("read_2", { token: "new" })
    const free = tool({ name: "free", description: "No token", input: {}, execute: () => "free" })
    vault.change(named("read", 2), "write", "list", free)
    await kit.refresh()
    expect(names(kit)).toEqual(["read", "reset_tools", "read_2", "list", "free"])
    expect(kit.schemas().find(({ name }) => name === "read_2")).toMatchObject({
      description: "Version 2",
      parameters: { properties: { q: { type: "string" } } },
    })
    expect(await text(kit, "read_2", { q: "x" })).toBe('<{"q":"x","token":"new"}>')
    expect(await text(kit, "list")).toBe('<{"token":"t"}>')
    expect(await text(kit, "free")).toBe("<free>")
    // the filters name what may have gone meanwhile
    vault.change("list")
    await kit.refresh()
    expect(names(kit)).toEqual(["read", "reset_tools", "list"])
  })

  test("does not bring back what the program took away or replaced", async () => {
    const vault = server("vault", "a", "b", "c")
    const kit = new Toolkit({ mcps: [vault] })
    await kit.ready()
    kit.remove("a")
    kit.register(named("b", 7), { onNameClash: "override" })
    vault.change("a", "b", "c", "d")
    await kit.refresh()
    expect(names(kit)).toEqual(["b", "c", "d"])
    expect(kit.schemas()[0]?.description).toBe("Version 7")
  })

  test("whose new tool has a name that is taken is told, and the others are there", async () => {
    const vault = server("vault", "a")
    const kit = new Toolkit({ tools: [named("own", 7)], mcps: [vault] })
    await kit.ready()
    vault.change("a", "own", "b")
    await expect(kit.refresh()).rejects.toMatchObject({
      code: "source_failed",
      message: expect.stringContaining("own"),
    })
    expect(names(kit)).toEqual(["own", "a", "b"])
    expect(kit.schemas()[0]?.description).toBe("Version 7")
  })

  test("that fails to list again keeps its tools, and is tried again with ready(), not with each step", async () => {
    const vault = server("vault", "a")
    const kit = new Toolkit({ mcps: [vault] })
    await kit.ready()
    vault.down = true
    vault.change("a", "b")
    await expect(kit.refresh()).rejects.toMatchObject({ code: "source_failed" })
    expect(names(kit)).toEqual(["a"])
    expect(kit.refresh()).toBeUndefined()
    vault.down = false
    await kit.ready()
    expect(names(kit)).toEqual(["a", "b"])
  })

  test("that lists what cannot be a tool is told of, naming it", async () => {
    const vault = server("vault", "a")
    const kit = new Toolkit({ mcps: [vault] })
    await kit.ready()
    vault.change("a", { ...named("x"), name: " " })
    await expect(kit.refresh()).rejects.toMatchObject({
      code: "source_failed",
      message: expect.stringMatching(/"vault".*needs a name/),
    })
    expect(names(kit)).toEqual(["a"])
  })

  test("changes while it is listed are not missed", async () => {
    const vault = server("vault", "a")
    const kit = new Toolkit({ mcps: [vault] })
    const { listTools } = vault
    vault.listTools = async () => {
      const tools = await listTools()
      if (vault.listed === 1) vault.change("a", "b")
      return tools
    }
    await kit.ready()
    expect(names(kit)).toEqual(["a"])
    await kit.refresh()
    expect(names(kit)).toEqual(["a", "b"])
  })

  test("is heard no more once it is removed, with its group or all, or was refused", async () => {
    const one = server("one", "a")
    const two = server("two", "b")
    const three = server("three", "c")
    const kit = new Toolkit({ mcps: [one, three], groups: [{ name: "g", description: "A group", mcps: [two] }] })
    await kit.ready()
    await expect(kit.register(server("four", "a"))).rejects.toThrow("registered already")
    await kit.removeSources(["one"])
    kit.removeGroups(["g"])
    expect([one, two, three].map(({ listeners }) => listeners.size)).toEqual([0, 0, 1])
    kit.clear()
    expect(three.listeners.size).toBe(0)
    three.change("x")
    expect(kit.refresh()).toBeUndefined()
    expect(names(kit)).toEqual([])
  })

  test("tells who listens to the toolkit", async () => {
    const vault = server("vault", "a")
    const kit = new Toolkit({ mcps: [vault] })
    await kit.ready()
    let told = 0
    kit.onChange(() => told++)
    vault.change("b")
    expect(told).toBe(1)
  })

  test("goes also where allowToolDeletion is false: nobody here took it away", async () => {
    const vault = server("vault", "a", "b")
    const kit = new Toolkit({ mcps: [vault], allowToolDeletion: false })
    await kit.ready()
    vault.change("a")
    await kit.refresh()
    expect(names(kit)).toEqual(["a"])
    await expect(kit.removeSources(["vault"])).rejects.toMatchObject({ code: "deletion_not_allowed" })
  })
})

test("after any changes, what is there is what the servers have last, and nothing is heard twice", async () => {
  const list = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d"), { maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(fc.array(list, { minLength: 1, maxLength: 6 }), async ([first, ...rest]) => {
      const vault = server("vault", ...(first ?? []))
      const kit = new Toolkit({ mcps: [vault] })
      await kit.ready()
      for (const now of rest) {
        vault.change(...now)
        await kit.refresh()
        expect(names(kit).toSorted()).toEqual(now.toSorted())
      }
      expect(vault.listeners.size).toBe(1)
    }),
  )
})

test("a source that never answers fails at the time limit of calls", async () => {
  const sleeps: number[] = []
  const restore = replaceAmbient({
    sleep: (ms) => {
      sleeps.push(ms)
      return Promise.resolve()
    },
  })
  const options: ToolkitOptions = { timeoutMs: 5000, mcps: [{ name: "mute", listTools: () => new Promise(() => {}) }] }
  await expect(new Toolkit(options).ready())
    .rejects.toThrow('"mute" could not be listed within 5000 ms')
    .finally(restore)
  expect(sleeps).toEqual([5000])
})
