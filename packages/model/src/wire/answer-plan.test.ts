import { expect, test } from "vitest"
import { type AnswerWays, answerPlan } from "./answer-plan.ts"

const tool = { name: "search", description: "", parameters: { type: "object" } } as const
const schema = { type: "object", properties: { a: { type: "string" } } } as const

function planned(request: Parameters<typeof answerPlan>[0], ways: Partial<AnswerWays> = {}) {
  const warnings: string[] = []
  const plan = answerPlan(request, { held: () => undefined, warn: (code) => void warnings.push(code), ...ways })
  return { ...plan, names: plan.tools.map(({ name }) => name), warnings }
}

test("an answer is held to its schema where that can be", () => {
  const held = { ...schema, additionalProperties: false } as const
  const plan = planned({ tools: [tool], schema }, { held: () => held })
  expect(plan).toMatchObject({ names: ["search"], format: held, choice: undefined, hint: undefined })
})

test("else it is a tool's arguments, by force where there is no other tool", () => {
  const name = "final_answer"
  expect(planned({ schema })).toMatchObject({ names: [name], answerTool: name, choice: { name }, hint: undefined })
  const beside = planned({ tools: [tool], schema })
  expect(beside).toMatchObject({ names: ["search", name], choice: "required", hint: expect.stringContaining(name) })
  expect(planned({ schema }, { others: [{ type: "web_search" }] }).choice).toBe("required")
  expect(planned({ tools: [tool], schema, toolChoice: "none" }).choice).toEqual({ name })
})

test("a model that cannot be forced is told, and so is the caller", () => {
  const unforced = "m cannot be made to"
  const plan = planned({ tools: [tool], toolChoice: { name: "search" } }, { unforced })
  expect(plan).toMatchObject({ choice: "auto", warnings: ["forced_tool_choice"] })
  expect(plan.hint).toContain('calling the tool "search"')
  expect(planned({ tools: [tool], toolChoice: "required" }, { unforced }).hint).toContain("one of the tools")
  expect(planned({ schema }, { unforced }).hint).toContain("final_answer")
  expect(planned({ tools: [tool] }, { unforced })).toMatchObject({ choice: undefined, warnings: [] })
})

test("a tool that is chosen must be there, be it the provider's own", () => {
  const toolChoice = { name: "web_search" }
  expect(() => planned({ tools: [tool], toolChoice })).toThrow(/web_search/)
  const others = [{ type: "mcp_toolset" }, { type: "web_search_1", name: "web_search" }]
  expect(planned({ tools: [tool], toolChoice }, { others }).choice).toEqual(toolChoice)
})
