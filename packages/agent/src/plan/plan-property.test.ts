import type { JsonObject } from "@agentscope-ts/message"
import { Toolkit } from "@agentscope-ts/tool"
import fc from "fast-check"
import { expect, test } from "vitest"
import { PlanNotebook } from "../index.ts"

const told = { name: "n", description: "d", expected_outcome: "e" }
const index = fc.oneof(
  { weight: 1, arbitrary: fc.integer({ min: -1, max: 5 }) },
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 2 }) },
  fc.integer({ min: 0, max: 4 }).map(String),
)
const often = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) => ({ weight: 5, arbitrary: fc.record(model) })
const rarely = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) => ({ weight: 1, arbitrary: fc.record(model) })
const call = fc.oneof(
  often({
    name: fc.constant("update_subtask_state"),
    subtask_idx: index,
    state: fc.constantFrom("todo", "in_progress", "abandoned", "done"),
  }),
  often({ name: fc.constant("finish_subtask"), subtask_idx: index, subtask_outcome: fc.constantFrom("x", "") }),
  rarely({
    name: fc.constant("revise_current_plan"),
    subtask_idx: index,
    action: fc.constantFrom("add", "revise", "delete"),
    subtask: fc.option(fc.constant(told), { nil: undefined }),
  }),
  rarely({ name: fc.constant("create_plan"), count: fc.integer({ min: 0, max: 5 }) }),
  rarely({
    name: fc.constant("finish_plan"),
    state: fc.constantFrom("done", "abandoned"),
    outcome: fc.constant("x"),
  }),
  rarely({ name: fc.constant("recover_historical_plan"), nth: fc.integer({ min: 0, max: 5 }) }),
)

test("whatever a model calls in whatever order: the rules hold, what is refused changes nothing, and no plan is lost", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(call, { maxLength: 30, size: "max" }), async (calls) => {
      const notebook = new PlanNotebook({ maxSubtasks: 4 })
      const toolkit = new Toolkit({ tools: notebook.tools() })
      const known = new Set<string>()
      for (const { name, ...given } of calls) {
        const before = JSON.stringify(notebook.stateDict())
        const { count, nth } = given as { count?: number; nth?: number }
        const input = {
          ...given,
          ...(count !== undefined && { ...told, subtasks: Array.from({ length: count }, () => told) }),
          ...(nth !== undefined && { plan_id: notebook.history[nth]?.id ?? "none" }),
        }
        const json = JSON.parse(JSON.stringify(input)) as JsonObject
        const result = await toolkit.execute({ type: "tool_use", id: "1", name, input: json }).result
        expect(["success", "error"]).toContain(result.state)
        if (result.state === "error") expect(JSON.stringify(notebook.stateDict())).toBe(before)
        const { currentPlan, history } = notebook
        const subtasks = currentPlan?.subtasks ?? []
        expect(subtasks.length).toBeLessThanOrEqual(4)
        expect(subtasks.filter(({ state }) => state === "in_progress").length).toBeLessThanOrEqual(1)
        for (const { state, outcome, finishedAt } of subtasks) {
          expect(outcome !== undefined).toBe(state === "done")
          expect(finishedAt !== undefined).toBe(state === "done" || state === "abandoned")
        }
        expect(history.every(({ state }) => state === "done" || state === "abandoned")).toBe(true)
        const ids = [...history.map(({ id }) => id), ...(currentPlan ? [currentPlan.id] : [])]
        expect(new Set(ids).size).toBe(ids.length)
        for (const id of ids) known.add(id)
        expect(ids.length).toBe(known.size)
        const other = new PlanNotebook()
        other.loadStateDict(JSON.parse(JSON.stringify(notebook.stateDict())) as JsonObject)
        expect(other.stateDict()).toEqual(notebook.stateDict())
      }
    }),
    { numRuns: 300 },
  )
})
