import { expect, test } from "vitest"
import { type AnyTool, Toolkit, tool } from "../index.ts"

const named = (name: string): AnyTool => tool({ name, description: "A test", input: {}, execute: () => name })

test("a toolkit tells of every change of its tools, until it is told not to", () => {
  const group = { name: "g", description: "A group", tools: [named("in_group")] }
  const kit = new Toolkit({ tools: [named("a")], groups: [group] })
  let told = 0
  const off = kit.onChange(() => told++)
  const changes: (() => unknown)[] = [
    () => kit.register(named("b")),
    () => kit.remove("b"),
    () => kit.updateGroups(["g"], true),
    () => kit.createGroup({ name: "empty", description: "A group" }),
    () => kit.removeGroups(["g"]),
    () => kit.registerSchema({ name: "c", parameters: {} }),
    () => kit.clear(),
  ]
  for (const change of changes) {
    const before = told
    change()
    expect(told, change.toString()).toBeGreaterThan(before)
  }
  off()
  const before = told
  kit.register(named("d"))
  expect(told).toBe(before)
})

test("what one conversation switches is nobody else's change", async () => {
  const kit = new Toolkit({ groups: [{ name: "g", description: "A group" }] })
  let told = 0
  kit.onChange(() => told++)
  const state = kit.newState()
  await kit.execute({ type: "tool_use", id: "1", name: "reset_tools", input: { g: true } }, { state }).result
  expect(state.activeGroups).toEqual(["g"])
  expect(told).toBe(0)
})

test("more combinations of groups than are kept cost a list, and are no change", () => {
  const groups = Array.from({ length: 9 }, (_, i) => ({ name: `g${i}`, description: "A group" }))
  const kit = new Toolkit({ tools: [named("a")], groups })
  let told = 0
  kit.onChange(() => told++)
  for (let bits = 0; bits < 512; bits++) {
    const state = kit.newState()
    state.updateGroups(
      groups.map(({ name }) => name).filter((_, i) => bits & (1 << i)),
      true,
    )
    expect(kit.schemas(state)).toHaveLength(2)
  }
  expect(told).toBe(0)
})

test("a tool is found by its name, wherever it is", () => {
  const inGroup = named("in_group")
  const kit = new Toolkit({ tools: [named("a")], groups: [{ name: "g", description: "A group", tools: [inGroup] }] })
  expect(kit.get("in_group")).toBe(inGroup)
  expect(kit.get("reset_tools")).toMatchObject({ effects: "none" })
  expect(kit.get("b")).toBeUndefined()
})
