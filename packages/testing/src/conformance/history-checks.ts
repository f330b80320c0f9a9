import { type Msg, assistantMsg, toolResultMsg, userMsg } from "@agentscope-ts/message"
import type { ToolSchema } from "@agentscope-ts/model"
import type { Cassette } from "../cassette.ts"
import { memoryFetch, type SentRequest } from "./answer-from-memory.ts"
import { pixel, pixelBlock, callOnce } from "./call.ts"
import type { ConformanceCheck } from "./conformance-check.ts"
import { must, mustEqual } from "./expectation.ts"
import type { ModelConformanceSuite } from "./model-suite.ts"

const foreign = "sealed-by-somebody-else"
const opaque = { provider: "somebody-else", data: { signature: foreign, type: foreign, id: foreign } }

/** A history of another provider's: thinking that it signed, two calls at once, an image, calls without results. */
const history: readonly Msg[] = [
  userMsg([{ type: "text", text: "What is in this picture?" }, pixelBlock]),
  assistantMsg([
    { type: "thinking", thinking: "A look first.", opaque },
    { type: "thinking", thinking: "", opaque },
    { type: "text", text: "Let me look.", opaque },
    { type: "tool_use", id: "functions.look:0", name: "look", input: { where: "left-hand-side" }, opaque },
    { type: "tool_use", id: `call_${"x".repeat(80)}|fc_1`, name: "look", input: { where: "right-hand-side" }, opaque },
  ]),
  toolResultMsg([
    {
      type: "tool_result",
      id: "functions.look:0",
      name: "look",
      output: [{ type: "text", text: "a red door" }],
      state: "success",
    },
  ]),
  userMsg("Go on."),
]
const tools: readonly ToolSchema[] = [
  {
    name: "look",
    description: "Looks somewhere",
    parameters: { type: "object", properties: { where: { type: "string" } }, required: ["where"] },
  },
]

/** A history that another provider began goes out complete, and without what that provider alone can read. `seeing` takes images. */
export function historyChecks(suite: ModelConformanceSuite, plain: Cassette, seeing: Cassette): ConformanceCheck[] {
  const send = async (messages: readonly Msg[], cassette = plain): Promise<SentRequest> => {
    const { status, headers, body } = cassette.response
    const { fetch, sent } = memoryFetch({ status, headers, pieces: [Buffer.from(body)] })
    const model = suite.create({ url: "http://127.0.0.1:9", fetch, live: false, cassette })
    const { error } = await callOnce(model, cassette, { messages, tools })
    if (error) throw error
    must(sent[0] !== undefined, "no request was sent through `fetch`")
    return sent[0]
  }
  const checks: Record<string, () => Promise<void>> = {
    "is sent without the other's opaque data": async () => {
      const { body } = await send(history)
      must(!body.includes(foreign), "the request carries opaque data of another provider")
    },
    "is sent with its texts, its calls and their results": async () => {
      const { body } = await send(history)
      const parts = [
        "What is in this picture?",
        "Let me look.",
        "left-hand-side",
        "right-hand-side",
        "a red door",
        "Go on.",
      ]
      for (const part of parts) mustEqual(body.split(part).length - 1, 1, `times that the request says "${part}"`)
      must(body.includes('"look"'), "the request has no tool of the name")
    },
    ...(suite.images !== false && {
      "is sent with its images": async () => {
        const { body } = await send(history, seeing)
        must(body.includes(pixel), "the request lacks the image's data")
      },
    }),
    "is left as it was": async () => {
      const before = JSON.stringify(history)
      await send(history)
      mustEqual(JSON.stringify(history), before, "the caller's messages")
    },
  }
  const group = "a history of another provider"
  return Object.entries(checks).map(([name, run]) => ({ group, name, timeoutMs: 20_000, run }))
}
