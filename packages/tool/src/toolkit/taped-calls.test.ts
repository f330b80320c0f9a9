import {
  replaceAmbient,
  type TapedCall,
  type TapedChunk,
  type ToolResultBlock,
  type ToolUseBlock,
} from "@agentscope-ts/message"
import { afterEach, expect, it } from "vitest"
import { tool } from "../define/tool.ts"
import { Toolkit } from "./toolkit.ts"

let restore = (): void => {}
afterEach(() => restore())

const call: ToolUseBlock = { type: "tool_use", id: "call_1", name: "count", input: { to: 2 } }
const input = { type: "object", properties: { to: { type: "number" } } } as const
let ran = 0
const count = tool({
  name: "count",
  description: "Counts",
  input,
  async *execute({ to = 0 }) {
    ran++
    for (let i = 1; i <= to; i++) yield await Promise.resolve(`${i} `)
  },
})

function tape(extra: Partial<TapedCall> = {}) {
  const heard: (TapedChunk | ToolResultBlock)[] = []
  const asked: ToolUseBlock[] = []
  let parts = 0
  restore = replaceAmbient({
    toolCall: (toolUse) => {
      asked.push(toolUse)
      return {
        run: (work) => {
          parts++
          return work()
        },
        onChunk: (chunk) => heard.push(chunk),
        onResult: (result) => heard.push(result),
        onLate: () => {},
        ...extra,
      }
    },
  })
  return { heard, asked, parts: () => parts }
}

it("a tape hears each chunk and the result, and all of the tool's work goes through it", async () => {
  const { heard, asked, parts } = tape()
  const result = await new Toolkit({ tools: [count] }).execute(call).result
  expect(asked).toEqual([call])
  expect(heard.map((one) => ("data" in one ? one.data : one))).toEqual([
    { type: "text", text: "1 " },
    { type: "text", text: "2 " },
    result,
  ])
  // the call itself and three steps of its generator
  expect(parts()).toBe(4)
})

it("what a tape answers takes the place of the tool, now or later, chunks included", async () => {
  ran = 0
  const told = {
    type: "tool_result",
    id: "call_1",
    name: "count",
    output: [{ type: "text", text: "told" }],
    state: "success",
  } as const
  for (const isLate of [false, true]) {
    tape({
      answer: (listener) => {
        const tell = (): void => {
          listener.onChunk({ type: "progress", data: 1 })
          listener.onResult(told)
        }
        if (isLate) queueMicrotask(tell)
        else tell()
      },
    })
    const run = new Toolkit({ tools: [count] }).execute(call)
    const chunks: unknown[] = []
    run.listen((chunk) => chunks.push(chunk))
    expect(await run.result).toEqual(told)
    expect(chunks).toEqual([{ type: "progress", data: 1 }])
    restore()
  }
  expect(ran).toBe(0)
})

it("a call that is given up ends as the tape has it, or as any other", async () => {
  const told = { type: "tool_result", id: "call_1", name: "count", output: [], state: "interrupted" } as const
  for (const givenUp of [() => told, () => undefined]) {
    tape({ answer: () => {}, givenUp })
    const run = new Toolkit({ tools: [count] }).execute(call)
    run.cancel()
    const result = await run.result
    expect(result.state).toBe("interrupted")
    expect(result.output).toHaveLength(givenUp() ? 0 : 1)
    restore()
  }
})

it("tools of the toolkit itself, and those of one that is not taped, run as ever", async () => {
  ran = 0
  const { asked } = tape({ answer: () => expect.unreachable("it was answered") })
  const toolkit = new Toolkit({ groups: [{ name: "maths", description: "Maths", tools: [count] }] })
  const state = toolkit.newState()
  const switched = { type: "tool_use", id: "1", name: "reset_tools", input: { maths: true } } as const
  expect((await toolkit.execute(switched, { state }).result).state).toBe("success")
  expect((await new Toolkit({ taped: false, tools: [count] }).execute(call).result).state).toBe("success")
  expect([asked, ran]).toEqual([[], 1])
})

it("calls that never run are none for a tape", async () => {
  const { asked } = tape()
  const refused = await new Toolkit({ tools: [count] }).execute({ ...call, input: { to: "many" } }).result
  expect([refused.state, asked]).toEqual(["error", []])
})
