import type { JsonSchema } from "@agentscope-ts/message"
import { expect, test } from "vitest"
import type { ToolChoice } from "../chat-request.ts"
import { type AnswerWays, answerPlan, responseFormat } from "./answer-plan.ts"

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
  expect(plan).toMatchObject({ names: ["search"], format: { schema: held }, choice: undefined, hint: undefined })
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

test("an answer that is no object is wrapped for endpoints that answer with objects only", () => {
  const list = { type: "array", items: { $ref: "#/$defs/a" }, $defs: { a: { type: "string" } } } as const
  for (const mode of ["json_schema", "json_object"] as const) {
    const wrapped = (wanted: JsonSchema) => planned({ schema: wanted }, { mode, held: undefined }).wrapped
    expect([list, { anyOf: [schema, list] }, schema].map(wrapped)).toEqual([true, true, false])
  }
  expect(planned({ schema: list }, { held: undefined }).format).toMatchObject({
    schema: { type: "object", properties: { value: { type: "array" } }, required: ["value"] },
    strict: true,
  })
})

test("without a schema nothing is asked for, whatever the way", () => {
  for (const mode of ["json_schema", "json_object", "tool", "tool_in_words"] as const) {
    const plan = planned({ tools: [tool], toolChoice: "auto" }, { mode, held: undefined })
    expect(plan).toMatchObject({ names: ["search"], choice: "auto", hint: undefined, answerTool: undefined })
    expect(responseFormat(plan)).toBeUndefined()
  }
})

test("a schema is said, or described, or that of a tool which may not have to be called", () => {
  const titled = { ...schema, title: "My city" }
  const said = planned({ schema: titled }, { held: undefined })
  expect(responseFormat(said)).toMatchObject({ type: "json_schema", json_schema: { name: "My_city", strict: true } })
  expect(said.format).not.toHaveProperty("reason")
  const described = planned({ schema }, { mode: "json_object" })
  expect(responseFormat(described)).toEqual({ type: "json_object" })
  expect(described).toMatchObject({ names: [], hint: expect.stringContaining(JSON.stringify(schema)) })
  const name = "final_answer"
  const inWords = (toolChoice?: ToolChoice) => planned({ schema, tools: [tool], toolChoice }, { mode: "tool_in_words" })
  expect(inWords()).toMatchObject({ names: ["search", name], choice: undefined, hint: expect.stringContaining(name) })
  expect(inWords("none").choice).toBeUndefined()
  expect(inWords({ name: "search" }).choice).toEqual({ name: "search" })
})
