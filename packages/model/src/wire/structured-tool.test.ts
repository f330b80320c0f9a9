import type { ChatDelta, JsonSchema } from "@agentscope-ts/message"
import { describe, expect, test } from "vitest"
import { FakeModel } from "../fixtures/fake-model.ts"
import type { CallEnd, CallSink } from "../stream/call-sink.ts"
import { structuredSink, structuredTool } from "./structured-tool.ts"

const city: JsonSchema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] }

describe("the tool that takes the answer", () => {
  test("has the schema as its parameters, and a name that no other tool has", () => {
    const tool = structuredTool(city, [
      { name: "final_answer", parameters: {} },
      { name: "final_answer_2", parameters: {} },
    ])
    expect(tool).toMatchObject({ name: "final_answer_3", parameters: city })
  })

  test.each<[string, JsonSchema]>([
    ["a list", { type: "array", items: { type: "string" } }],
    ["a text", { type: "string" }],
    ["anything", {}],
    ["a union", { anyOf: [city, { type: "null" }] }],
    ["an object with alternatives at its root", { ...city, oneOf: [{}, {}] }],
  ])("%s stands in the argument `value`, and the tool says so", (_, schema) => {
    const tool = structuredTool(schema)
    expect(tool.parameters).toEqual({ type: "object", properties: { value: schema }, required: ["value"] })
    expect(tool.description).toContain("`value`")
  })

  test("references of a wrapped schema still point to what they did", () => {
    const node = { type: "object", properties: { next: { $ref: "#/$defs/node" }, root: { $ref: "#" } } }
    const { parameters } = structuredTool({ $ref: "#/$defs/node", $defs: { node }, items: { $ref: "#/items/x~1y" } })
    const root = { $ref: "#/properties/value" }
    expect(parameters).toEqual({
      type: "object",
      properties: { value: { $ref: "#/$defs/node", items: { $ref: "#/properties/value/items/x~1y" } } },
      required: ["value"],
      $defs: { node: { ...node, properties: { next: { $ref: "#/$defs/node" }, root } } },
    })
  })
})

const answer = (deltas: readonly ChatDelta[], end: CallEnd, name: string) => {
  const told: ChatDelta[] = []
  let ended: CallEnd | undefined
  const sink: CallSink = {
    streaming: true,
    begin: () => {},
    warn: () => {},
    emit: (delta) => void told.push(delta),
    finish: (end) => {
      ended = end
    },
  }
  const structured = structuredSink(sink, name)
  for (const delta of deltas) structured.emit(delta)
  structured.finish(end)
  return { told, ended, text: told.map((delta) => (delta.type === "text_delta" ? delta.text : "")).join("") }
}
const called = (name: string, ...pieces: string[]): ChatDelta[] => [
  { type: "tool_use_start", index: 1, id: "t1", name },
  ...pieces.map((json) => ({ type: "tool_use_delta", index: 1, id: "t1", json }) as const),
]

describe("the sink of the answer's tool", () => {
  test("makes its arguments the answer's text and `tool_use` a `stop`", () => {
    const { told, ended } = answer(
      called("final_answer", '{"city":', '"Bonn"}'),
      { stopReason: "tool_use" },
      "final_answer",
    )
    expect(told).toEqual([
      { type: "text_delta", index: 1, text: '{"city":' },
      { type: "text_delta", index: 1, text: '"Bonn"}' },
    ])
    expect(ended).toEqual({ stopReason: "stop", structured: { city: "Bonn" } })
  })

  test("takes a wrapped value out, wherever the arguments are cut", () => {
    const value = [{ a: " } " }, { b: { c: {} } }]
    const json = ` { "value" : ${JSON.stringify(value)} } `
    for (let cut = 0; cut <= json.length; cut++) {
      const deltas = called("final_answer_value", json.slice(0, cut), json.slice(cut))
      const { text, ended } = answer(deltas, { stopReason: "tool_use" }, "final_answer_value")
      expect(text).toBe(JSON.stringify(value))
      expect(ended?.structured).toEqual(value)
    }
    const byOne = answer(called("final_answer_value", ...json.split("")), { stopReason: "stop" }, "final_answer_value")
    expect(byOne.text).toBe(JSON.stringify(value))
  })

  test("a value without its wrapping is told as it is", () => {
    const deltas = called("final_answer_value", '["Bo', 'nn"]')
    const { text, ended } = answer(deltas, { stopReason: "tool_use" }, "final_answer_value")
    expect(text).toBe('["Bonn"]')
    expect(ended?.structured).toEqual(["Bonn"])
  })

  test("a whole call is told once, with or without pieces before it", () => {
    const block = { type: "tool_use", id: "t1", name: "final_answer", input: { city: "Bonn" } } as const
    const end: ChatDelta = { type: "block_end", index: 1, block }
    for (const deltas of [
      [end],
      called("final_answer").concat(end),
      called("final_answer", '{"city":"Bonn"}').concat(end),
    ]) {
      const { told, text } = answer(deltas, { stopReason: "tool_use" }, "final_answer")
      expect(text).toBe('{"city":"Bonn"}')
      expect(told.every(({ type }) => type === "text_delta")).toBe(true)
    }
  })

  test("a second answer is not heard; other tools and texts pass through", () => {
    const other: ChatDelta[] = [
      { type: "text_delta", index: 0, text: "Let me see. " },
      { type: "tool_use_start", index: 2, id: "t2", name: "look" },
      { type: "tool_use_delta", index: 2, id: "t2", json: "{}" },
    ]
    const second: ChatDelta[] = [
      { type: "tool_use_start", index: 3, id: "t3", name: "final_answer" },
      { type: "tool_use_delta", index: 3, id: "t3", json: '{"city":"Rome"}' },
    ]
    const deltas = [...other, ...called("final_answer", '{"city":"Bonn"}'), ...second]
    const { told, ended } = answer(deltas, { stopReason: "tool_use" }, "final_answer")
    expect(told).toEqual([...other, { type: "text_delta", index: 1, text: '{"city":"Bonn"}' }])
    expect(ended?.structured).toEqual({ city: "Bonn" })
  })

  test("a limit that cuts the answer stays one, and nothing is made of the half", () => {
    const { ended } = answer(called("final_answer", '{"city":"Bo'), { stopReason: "length" }, "final_answer")
    expect(ended).toEqual({ stopReason: "length", structured: undefined })
  })

  test("a model that answers by it gives a validated value, and calls of other tools are still calls", async () => {
    const withTool = (other: boolean) =>
      new FakeModel((_, sink) => {
        const own = structuredSink(sink, "final_answer")
        for (const delta of called("final_answer", '{"city":"Bonn"}')) own.emit(delta)
        if (other) own.emit({ type: "tool_use_start", index: 2, id: "t2", name: "look" })
        own.finish({ stopReason: "tool_use" })
      }).generate({ messages: [], schema: city })
    expect(await withTool(false)).toMatchObject({
      stopReason: "stop",
      structured: { city: "Bonn" },
      content: [{ type: "text", text: '{"city":"Bonn"}' }],
    })
    expect((await withTool(true)).stopReason).toBe("tool_use")
  })
})
