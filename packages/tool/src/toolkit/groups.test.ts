import { type JsonObject, textOf } from "@agentscope-ts/message"
import { beforeEach, describe, expect, test } from "vitest"
import { use } from "../fixtures/calls.ts"
import { type AnyTool, Toolkit, type ToolkitOptions, type ToolState, tool } from "../index.ts"

const named = (name: string): AnyTool => tool({ name, description: "A test", input: {}, execute: () => name })
const code = (value: string) => expect.objectContaining({ code: value })
const groups = [
  {
    name: "database",
    description: "Tools for database operations.",
    instructions: "Always wrap mutations in a transaction.",
    tools: [named("query")],
  },
  {
    name: "deployment",
    description: "Tools for deploying services.",
    instructions: "Confirm the target environment.",
    tools: [named("deploy")],
  },
  { name: "plain", description: "Nothing to say.", tools: [named("noop")] },
]
const make = (options: ToolkitOptions = {}) => new Toolkit({ tools: [named("read")], groups, ...options })
let kit: Toolkit
beforeEach(() => {
  kit = make()
})
const names = (state?: ToolState) => kit.schemas(state).map((schema) => schema.name)
const reset = async (input: JsonObject, state?: ToolState, name = "reset_tools") => {
  const result = await kit.execute(use(name, input), { state }).result
  return { state: result.state, text: textOf(result) }
}

describe("groups", () => {
  test("hide their tools until they are on", () => {
    expect(names()).toEqual(["read", "reset_tools"])
    kit.updateGroups(["database"], true)
    expect(names()).toEqual(["read", "reset_tools", "query"])
    kit.updateGroups(["database"], false)
    expect(names()).toEqual(["read", "reset_tools"])
  })

  test("may be on from the beginning, and be added later", async () => {
    kit.createGroup({ name: "late", description: "A test", active: true, tools: [named("late_tool")] })
    expect(names()).toEqual(["read", "reset_tools", "late_tool"])
    expect((await kit.execute(use("late_tool")).result).state).toBe("success")
  })

  test("cannot be named basic, and basic cannot be switched or removed", () => {
    const reserved = [
      () => make({ groups: [{ name: "basic", description: "A test" }] }),
      () => kit.createGroup({ name: "basic", description: "A test" }),
      () => kit.updateGroups(["basic"], false),
      () => kit.updateGroups(["database", "basic"], true),
      () => kit.removeGroups(["database", "basic"]),
      () => kit.newState().updateGroups(["basic"], true),
    ]
    for (const attempt of reserved) expect(attempt).toThrow(code("group_reserved"))
    expect(names()).toEqual(["read", "reset_tools"])
  })

  test("that are not there, or there twice, are errors that change nothing", () => {
    expect(() => kit.updateGroups(["database", "databse"], true)).toThrow('Did you mean "database"?')
    expect(() => kit.removeGroups(["database", "x"])).toThrow(code("unknown_group"))
    expect(() => kit.createGroup({ name: "database", description: "A test" })).toThrow(code("name_clash"))
    expect(() => kit.createGroup({ name: "my group", description: "A test" })).toThrow(code("invalid_argument"))
    expect(names()).toEqual(["read", "reset_tools"])
  })

  test("with a tool that cannot be registered are not created", () => {
    expect(() => kit.createGroup({ name: "bad", description: "A test", tools: [named("ok"), named("read")] })).toThrow(
      code("name_clash"),
    )
    kit.createGroup({ name: "bad", description: "A test", tools: [named("ok")] })
    kit.updateGroups(["bad"], true)
    expect(names()).toContain("ok")
  })
})

describe("the state of a conversation", () => {
  test("holds what was switched there; the rest falls through to the toolkit", () => {
    const [ops, dba] = [kit.newState(), kit.newState()]
    dba.updateGroups(["database"], true)
    expect([ops.activeGroups, dba.activeGroups]).toEqual([[], ["database"]])
    kit.updateGroups(["deployment"], true)
    expect([ops.activeGroups, dba.activeGroups]).toEqual([["deployment"], ["database", "deployment"]])
    kit.updateGroups(["database"], true)
    kit.updateGroups(["database"], false)
    expect(names(dba)).toEqual(["read", "reset_tools", "query", "deploy"])
    ops.updateGroups(["deployment"], false)
    expect(names(ops)).toEqual(["read", "reset_tools"])
    kit.updateGroups(["deployment", "plain"], false)
    expect(names(dba)).toEqual(["read", "reset_tools", "query"])
    kit.updateGroups(["plain"], true)
    expect(names(dba)).toEqual(["read", "reset_tools", "query", "noop"])
  })

  test("an unknown group changes nothing", () => {
    const state = kit.newState()
    expect(() => state.updateGroups(["database", "x"], true)).toThrow(code("unknown_group"))
    expect(state.activeGroups).toEqual([])
  })

  test("is saved as what was switched, and loaded into another process", () => {
    const state = kit.newState()
    state.updateGroups(["database"], true)
    state.updateGroups(["plain"], false)
    const saved = JSON.parse(JSON.stringify(state.stateDict())) as JsonObject
    expect(saved).toEqual({ groups: { database: true, plain: false } })
    kit = make()
    kit.updateGroups(["plain"], true)
    const loaded = kit.newState()
    const before = names(loaded)
    loaded.loadStateDict(saved)
    expect(before).not.toEqual(names(loaded))
    expect(loaded.activeGroups).toEqual(["database"])
    loaded.loadStateDict({ groups: {} })
    expect(loaded.activeGroups).toEqual(["plain"])
  })

  test("groups that are gone do no harm; what is no state is refused", () => {
    const state = kit.newState()
    state.loadStateDict({ groups: { old: true, database: true } })
    expect(state.activeGroups).toEqual(["database"])
    for (const groups of [null, [], { database: "yes" }]) {
      expect(() => state.loadStateDict({ groups })).toThrow(code("invalid_state"))
    }
    expect(state.activeGroups).toEqual(["database"])
    kit.removeGroups(["database"])
    expect(state.activeGroups).toEqual([])
    expect(names(state)).toEqual(["read", "reset_tools"])
  })
})

describe("the meta tool", () => {
  test("is there once there is a group that it can switch", () => {
    kit = new Toolkit({ tools: [named("read")] })
    expect(names()).toEqual(["read"])
    kit.createGroup({ name: "own", description: "A test", manageable: false })
    expect(names()).toEqual(["read"])
    kit.createGroup({ name: "g", description: "A test" })
    expect(names()).toEqual(["read", "reset_tools"])
    kit.removeGroups(["g"])
    expect(names()).toEqual(["read"])
  })

  test("has one boolean for each group, with its description", () => {
    kit.createGroup({ name: "own", description: "A test", manageable: false })
    expect(kit.schemas()[1]?.parameters).toEqual({
      type: "object",
      properties: {
        database: { type: "boolean", default: false, description: "Tools for database operations." },
        deployment: { type: "boolean", default: false, description: "Tools for deploying services." },
        plain: { type: "boolean", default: false, description: "Nothing to say." },
      },
    })
  })

  test("sets the final state of all groups, and tells the instructions of those it switches on", async () => {
    const state = kit.newState()
    const both = await reset({ database: true, deployment: true, plain: true }, state)
    expect(both).toEqual({
      state: "success",
      text: 'The currently activated tool group(s): database, deployment, plain.\n<tool-instructions>\n<group name="database">Always wrap mutations in a transaction.</group>\n<group name="deployment">Confirm the target environment.</group>\n</tool-instructions>',
    })
    expect(await reset({ database: true, deployment: false }, state)).toEqual({
      state: "success",
      text: "The currently activated tool group(s): database.",
    })
    expect(names(state)).toEqual(["read", "reset_tools", "query"])
    expect((await reset({ deployment: true }, state)).text).toContain("Confirm the target")
    expect(await reset({}, state)).toEqual({ state: "success", text: "All tool groups are currently deactivated." })
    expect(names()).toEqual(["read", "reset_tools"])
    expect((await kit.execute(use("query"), { state }).result).state).toBe("error")
  })

  test("without a state switches the toolkit's own", async () => {
    await reset({ database: true })
    expect(names()).toEqual(["read", "reset_tools", "query"])
    expect(kit.newState().activeGroups).toEqual(["database"])
  })

  test.each<[string, JsonObject, string]>([
    ["an unknown group", { database: false, databases: true }, "database, deployment, plain"],
    ["what is no boolean", { deployment: true, database: "true" }, '"database" must be true or false'],
    ["null", { database: null }, "must be true or false"],
    ["a list", [] as never, "must be an object"],
    ["nothing at all", null as never, "must be an object"],
    ["basic", { basic: false }, "is always on"],
  ])("refuses %s before anything is changed", async (_, input, message) => {
    const state = kit.newState()
    await reset({ database: true }, state)
    const result = await reset(input, state)
    expect(result.state).toBe("error")
    expect(result.text).toContain(message)
    expect(state.activeGroups).toEqual(["database"])
  })

  test("leaves alone what only the program switches", async () => {
    kit.createGroup({ name: "own", description: "A test", manageable: false, active: true, tools: [named("mine")] })
    const state = kit.newState()
    expect((await reset({ database: true }, state)).text).toContain("database, own.")
    const refused = await reset({ own: false }, state)
    expect(refused).toMatchObject({ state: "error", text: expect.stringContaining("not switched by this tool") })
    await reset({}, state)
    expect(state.activeGroups).toEqual(["own"])
  })

  test("takes a list of groups under its other name", async () => {
    kit = make({ metaTool: "reset_equipped_tools" })
    expect(kit.schemas()[1]).toMatchObject({
      name: "reset_equipped_tools",
      parameters: {
        properties: { to_activate: { type: "array", items: { enum: ["database", "deployment", "plain"] } } },
        required: ["to_activate"],
      },
    })
    const state = kit.newState()
    const call = (input: JsonObject) => reset(input, state, "reset_equipped_tools")
    expect((await call({ to_activate: ["database"] })).text).toContain("transaction")
    expect(state.activeGroups).toEqual(["database"])
    expect((await call({ to_activate: ["plain", "x"] })).state).toBe("error")
    expect(state.activeGroups).toEqual(["database"])
    await call({ to_activate: [] })
    expect(state.activeGroups).toEqual([])
    // the form of AgentScope Python 1.0 under this name
    await call({ plain: true })
    expect(state.activeGroups).toEqual(["plain"])
  })

  test("can be left out; its name is then free", async () => {
    kit = make({ metaTool: false })
    expect(names()).toEqual(["read"])
    expect(textOf(await kit.execute(use("query")).result)).toContain("cannot be used now")
    kit.register(named("reset_tools"))
    expect(names()).toEqual(["read", "reset_tools"])
  })

  test("keeps its name to itself", () => {
    const own = named("reset_tools")
    expect(() => kit.register(own)).toThrow(code("name_clash"))
    expect(() => kit.register(own, { onNameClash: "override" })).toThrow(code("name_clash"))
    kit.register(own, { onNameClash: "rename" })
    expect(names()).toEqual(["read", "reset_tools_2", "reset_tools"])
  })

  test("runs where only tools without effects may, and under the rules of the policy", async () => {
    const readOnly = await kit.execute(use("reset_tools", { database: true }), { approval: { mode: "read_only" } })
      .result
    expect(readOnly.state).toBe("success")
    const denied = await kit.execute(use("reset_tools", {}), { approval: { deny: ["reset_*"] } }).result
    expect(denied.state).toBe("denied")
  })
})

describe("a tool in several groups", () => {
  const shared = named("shared")
  const two = () =>
    new Toolkit({
      groups: [
        { name: "a", description: "A", tools: [shared] },
        { name: "b", description: "B", tools: [shared] },
      ],
    })

  test("is there once, as long as one of them is on", async () => {
    const kit = two()
    const names = () => kit.schemas().map(({ name }) => name)
    expect(textOf(await kit.execute(use("shared")).result)).toContain('in the groups "a", "b", which are not active')
    kit.updateGroups(["b"], true)
    expect(names()).toEqual(["reset_tools", "shared"])
    kit.updateGroups(["a"], true)
    kit.updateGroups(["b"], false)
    expect(names()).toEqual(["reset_tools", "shared"])
    expect(textOf(await kit.execute(use("shared")).result)).toBe("shared")
  })

  test("goes with the last of them; another of its name is a clash still", () => {
    const kit = two()
    kit.removeGroups(["a"])
    kit.updateGroups(["b"], true)
    expect(kit.schemas().map(({ name }) => name)).toEqual(["reset_tools", "shared"])
    kit.removeGroups(["b"])
    expect(kit.schemas()).toEqual([])
    expect(() => kit.register(named("x"), { group: "b" })).toThrow(code("unknown_group"))
    expect(() => two().createGroup({ name: "c", description: "C", tools: [named("shared")] })).toThrow(
      code("name_clash"),
    )
    expect(() => two().register(shared)).toThrow(code("name_clash"))
  })

  test("a group that cannot be made leaves it where it was", () => {
    const kit = two()
    expect(() => kit.createGroup({ name: "c", description: "C", tools: [shared, named("reset_tools")] })).toThrow()
    kit.removeGroups(["a", "b"])
    expect(kit.schemas()).toEqual([])
  })
})

test("reset_equipped_tools tells which groups are on now, in each conversation for itself", async () => {
  const kit = make({ metaTool: "reset_equipped_tools" })
  const [one, other] = [kit.newState(), kit.newState()]
  await kit.execute(use("reset_equipped_tools", { to_activate: ["plain"] }), { state: one }).result
  const told = (state: ToolState) => JSON.stringify(kit.schemas(state).find(({ name }) => name.startsWith("reset_")))
  expect(told(one)).toContain("plain (active): Nothing to say.")
  expect(told(one)).toContain("database (inactive): ")
  expect(told(other)).toContain("plain (inactive): Nothing to say.")
})

test.each<[JsonObject, string]>([
  [{}, "must be a list"],
  [{ to_activate: "database" }, "must be a list"],
  [{ to_activate: null }, "must be a list"],
  [{ to_activate: ["basic"] }, "always on"],
  [[] as never, "must be an object"],
])("reset_equipped_tools refuses %j before anything is changed", async (input, message) => {
  const kit = new Toolkit({
    groups: [{ name: "database", description: "D", active: true }],
    metaTool: "reset_equipped_tools",
  })
  const result = await kit.execute({ type: "tool_use", id: "1", name: "reset_equipped_tools", input }).result
  expect(result.state).toBe("error")
  expect(textOf(result)).toContain(message)
  expect(kit.newState().activeGroups).toEqual(["database"])
})

test("whoever listens hears of groups that the meta tool switched for all", async () => {
  const kit = new Toolkit({ groups: [{ name: "database", description: "D" }] })
  let changes = 0
  kit.onChange(() => changes++)
  await kit.execute({ type: "tool_use", id: "1", name: "reset_tools", input: { database: true } }).result
  expect(changes).toBeGreaterThan(0)
  const heard = changes
  await kit.execute({ type: "tool_use", id: "2", name: "reset_tools", input: {} }, { state: kit.newState() }).result
  expect(changes).toBe(heard)
})
