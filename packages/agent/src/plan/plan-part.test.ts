import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { textOf, toolResultsOf } from "@agentscope-ts/message"
import { ScriptedModel } from "@agentscope-ts/testing"
import { tool, Toolkit } from "@agentscope-ts/tool"
import { expect, test } from "vitest"
import { expectValid, idle, memoryOf } from "../fixtures/runs.ts"
import { add } from "../fixtures/tools.ts"
import { type Hooks, PlanNotebook, ReActAgent } from "../index.ts"

const base = { name: "Friday", systemPrompt: "Help." }
const told = (name: string) => ({ name, description: `Do ${name}`, expected_outcome: `${name} is there` })
const uses = (name: string, input: object) => ({ toolUses: [{ name, input: input as never }] })

test("an agent works through a whole plan, told in each request what is next", async () => {
  const plan = new PlanNotebook()
  using model = new ScriptedModel([
    uses("create_plan", { ...told("sums"), subtasks: [told("first"), told("second")] }),
    uses("update_subtask_state", { subtask_idx: "0", state: "in_progress" }),
    uses("finish_subtask", { subtask_idx: 1, subtask_outcome: "too early" }),
    uses("add", { a: 1, b: 2 }),
    {
      toolUses: [
        { name: "finish_subtask", input: { subtask_idx: 0, subtask_outcome: "3" } },
        { name: "finish_subtask", input: { subtask_idx: 1, subtask_outcome: "4" } },
      ],
    },
    uses("finish_plan", { state: "done", outcome: "7" }),
    "It is 7.",
  ])
  const agent = new ReActAgent({ ...base, model, tools: [add], plan })
  expect(textOf(await agent.reply("Sums, please"))).toBe("It is 7.")
  const hints = model.requests.map(({ messages }) => textOf(messages.at(-1)!))
  expect(
    hints.map((hint) => /no plan|nothing of it|working on subtask \d|no subtask is|Every/.exec(hint)?.[0]),
  ).toEqual([
    "no plan",
    "nothing of it",
    "working on subtask 0",
    "working on subtask 0",
    "working on subtask 0",
    "Every",
    "no plan",
  ])
  // said in one request and nowhere else
  for (const { messages } of model.requests) {
    expect(messages.filter((msg) => textOf(msg).includes("<system-hint>"))).toHaveLength(1)
  }
  expect(JSON.stringify(agent.stateDict()["memory"])).not.toContain("system-hint")
  expect(
    memoryOf(agent)
      .flatMap(toolResultsOf)
      .map(({ state }) => state),
  ).toEqual(["success", "success", "error", "success", "success", "success", "success"])
  expectValid(memoryOf(agent))
  expect(plan.history).toMatchObject([{ name: "sums", state: "done", outcome: "7" }])
  expect(model.requests[0]?.tools?.map(({ name }) => name)).toEqual(["add", ...plan.tools().map(({ name }) => name)])
  expect(model.requests[1]?.tools).toBe(model.requests[0]?.tools)
})

test("the steps of a plan that are told in one round are taken in their order, whatever a hook waits for", async () => {
  const plan = new PlanNotebook()
  const step = { name: "a", description: "b", expectedOutcome: "c" }
  plan.createPlan({ ...step, subtasks: [step, step] })
  const toolUses = [0, 1].map((at) => ({
    name: "finish_subtask",
    input: { subtask_idx: at, subtask_outcome: "fine" },
  }))
  using model = new ScriptedModel([{ toolUses }, "Done."])
  const hooks: Hooks = {
    preActing: async ({ input }) => {
      if (input.toolUse.input["subtask_idx"] === 0) await idle()
    },
  }
  await new ReActAgent({ ...base, model, plan, hooks }).reply("Go on")
  expect(plan.currentPlan?.subtasks.map(({ state }) => state)).toEqual(["done", "done"])
})

test("what the loop itself has to say comes after the plan's hint", async () => {
  using model = new ScriptedModel([uses("add", { a: 1, b: 2 }), "I have 3."])
  const agent = new ReActAgent({ ...base, model, tools: [add], plan: new PlanNotebook(), maxIterations: 1 })
  await agent.reply("Sums, please")
  const last = model.requests[1]?.messages.slice(-2).map((msg) => textOf(msg))
  expect(last).toEqual([expect.stringContaining("There is no plan"), expect.stringContaining("used all 1 iterations")])
})

test("two agents with one toolkit keep their plans apart", async () => {
  const toolkit = new Toolkit({ tools: [add] })
  const make = async (name: string) => {
    using model = new ScriptedModel([uses("create_plan", { ...told(name), subtasks: [told(name)] }), "Planned."])
    const agent = new ReActAgent({ ...base, model, toolkit, plan: new PlanNotebook() })
    await agent.reply("Plan")
    return agent.plan?.currentPlan?.name
  }
  expect(await Promise.all(["a", "b"].map(make))).toEqual(["a", "b"])
  expect(toolkit.get("create_plan")).toBeUndefined()
})

test("a tool of the user's with the name of a plan's is refused, wherever it comes from", async () => {
  const mine = tool({ name: "create_plan", description: "Mine", input: { type: "object" }, execute: () => "x" })
  const model = new ScriptedModel([])
  const clash = /needs the tool name "create_plan" for itself/
  expect(() => new ReActAgent({ ...base, model, tools: [mine], plan: new PlanNotebook() })).toThrow(clash)
  const groups = [{ name: "off", description: "x", tools: [mine] }]
  const toolkit = new Toolkit({ groups })
  expect(() => new ReActAgent({ ...base, model, toolkit, plan: new PlanNotebook() })).toThrow(clash)
  const agent = new ReActAgent({ ...base, model, plan: new PlanNotebook() })
  agent.toolkit.register(mine)
  await expect(agent.reply("Hi")).rejects.toMatchObject({ code: "name_clash", message: expect.stringMatching(clash) })
  expect(() => new ReActAgent({ ...base, model, plan: {} as PlanNotebook })).toThrow(/plan must be a PlanNotebook/)
})

test("the plan is saved with the agent, strictly and leniently", () => {
  const make = (plan?: PlanNotebook) => new ReActAgent({ ...base, model: new ScriptedModel([]), plan })
  const agent = make(new PlanNotebook())
  const subtask = { name: "a", description: "b", expectedOutcome: "c" }
  agent.plan?.createPlan({ ...subtask, subtasks: [subtask] })
  const state = agent.stateDict()
  const other = make(new PlanNotebook())
  other.loadStateDict(state)
  expect(other.plan?.currentPlan).toEqual(agent.plan?.currentPlan)
  // of an agent that had none
  const without = make().stateDict()
  expect(without).not.toHaveProperty("plan")
  expect(() => other.loadStateDict(without)).toThrow(/"plan" is missing/)
  other.loadStateDict(without, { strict: false })
  expect(other.plan?.currentPlan).toEqual(agent.plan?.currentPlan)
  // into one that has none
  make().loadStateDict(state)
})

test("a plan is gone on with in another process, from its middle", async () => {
  const program = fileURLToPath(new URL("../fixtures/planning.ts", import.meta.url))
  const run = async (state: string): Promise<{ readonly state: string; readonly seen: string[] }> => {
    const flags = ["--conditions=@agentscope-ts/source", program, state]
    const { stdout } = await promisify(execFile)(process.execPath, flags, {
      env: { ...process.env, NODE_NO_WARNINGS: "1" },
    })
    return JSON.parse(stdout) as never
  }
  const first = await run("")
  expect(first.seen).toEqual(["[ ] a, [ ] b", "[x] a, [>] b"])
  const second = await run(first.state)
  expect(second.seen).toEqual(["[x] a, [>] b", "[x] a, [x] b"])
})
