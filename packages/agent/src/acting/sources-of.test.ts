import { textOf, toolResultsOf } from "@agentscope-ts/message"
import { ScriptedModel } from "@agentscope-ts/testing"
import { type AnyTool, Toolkit } from "@agentscope-ts/tool"
import { expect, test } from "vitest"
import { eventsOf, memoryOf, ofType } from "../fixtures/runs.ts"
import { named } from "../fixtures/tools.ts"
import { ReActAgent } from "../index.ts"

const base = { name: "Friday", systemPrompt: "Help." }

test("FR-41 a tool that a server adds while the agent works is there in the next step", async () => {
  let changed = (): void => {}
  const tools: AnyTool[] = []
  tools.push(
    named("unlock", () => {
      tools.push(named("secret", () => "42"))
      changed()
      return "unlocked"
    }),
  )
  const vault = {
    name: "vault",
    listTools: async () => [...tools],
    onToolsChanged: (listener: () => void) => {
      changed = listener
      return () => {}
    },
  }
  using model = new ScriptedModel([
    { toolUses: [{ name: "unlock", input: {} }] },
    { toolUses: [{ name: "secret", input: {} }] },
    "It is 42.",
  ])
  const agent = new ReActAgent({ ...base, model, toolkit: new Toolkit({ mcps: [vault] }) })
  expect(textOf(await agent.reply("go"))).toBe("It is 42.")
  expect(model.requests.map(({ tools }) => tools?.map(({ name }) => name))).toEqual([
    ["unlock"],
    ["unlock", "secret"],
    ["unlock", "secret"],
  ])
  expect(
    memoryOf(agent)
      .flatMap(toolResultsOf)
      .map((result) => textOf(result)),
  ).toEqual(["unlocked", "42"])
})

test("a server that is down is told of, and the agent goes on without it; the next reply tries again", async () => {
  let down = true
  const vault = {
    name: "vault",
    listTools: async () => {
      if (down) throw new Error("connection refused")
      return [named("secret", () => "42")]
    },
  }
  using model = new ScriptedModel(["one", "two"])
  const toolkit = new Toolkit({ tools: [named("own", () => "x")], mcps: [vault] })
  const agent = new ReActAgent({ ...base, model, toolkit })
  const events = await eventsOf(agent.stream("go"))
  expect(ofType(events, "warning")).toMatchObject([
    { code: "source_failed", message: expect.stringContaining("connection refused") },
  ])
  down = false
  expect(ofType(await eventsOf(agent.stream("go")), "warning")).toEqual([])
  expect(model.requests.map(({ tools }) => tools?.map(({ name }) => name))).toEqual([["own"], ["own", "secret"]])
})

test("tools that cannot be registered are the program's fault, and end the reply", async () => {
  const vault = { name: "vault", listTools: async () => [named("own", () => "x")] }
  using model = new ScriptedModel([])
  const toolkit = new Toolkit({ tools: [named("own", () => "x")], mcps: [vault] })
  await expect(new ReActAgent({ ...base, model, toolkit }).reply("go")).rejects.toMatchObject({ code: "name_clash" })
})
