import { assistantMsg, type ImageBlock, toolResultMsg, toolResultsOf, userMsg } from "@agentscope-ts/message"
import type { ChatParams, ChatRequest, ToolSchema } from "@agentscope-ts/model"
import { pictureUrl } from "./sent-request.ts"

/** What is asked. */
export const question = userMsg("A room near the harbour, please.")
/** The conversation of all requests that need no other. */
export const messages = [question]
/** Two tools, one of them with objects in objects and in lists. */
export const tools: readonly ToolSchema[] = [
  {
    name: "find_lodging",
    description: "Looks for rooms in a quarter of the town",
    parameters: {
      type: "object",
      properties: {
        townPlace: {
          type: "object",
          properties: { quarterName: { type: "string" }, nearWater: { type: "boolean" } },
          required: ["quarterName", "nearWater"],
        },
        nightCount: { type: "integer" },
        wantedExtras: {
          type: "array",
          items: { type: "object", properties: { extraKind: { type: "string" } }, required: ["extraKind"] },
        },
      },
      required: ["townPlace", "nightCount", "wantedExtras"],
    },
  },
  {
    name: "read_tide_table",
    description: "Tells when the water is high",
    parameters: { type: "object", properties: { harbourCode: { type: "string" } }, required: ["harbourCode"] },
  },
]
/** The names of all their properties. */
export const toolWords = [
  "townPlace",
  "quarterName",
  "nearWater",
  "nightCount",
  "wantedExtras",
  "extraKind",
  "harbourCode",
]
/** The shape of an answer. */
export const schema = {
  type: "object",
  properties: {
    verdictWord: { type: "string" },
    certaintyShare: { type: "object", properties: { percentValue: { type: "number" } }, required: ["percentValue"] },
  },
  required: ["verdictWord", "certaintyShare"],
} as const
/** The names of its properties. */
export const schemaWords = ["verdictWord", "certaintyShare", "percentValue"]

/** Values that stand in no request by chance. */
export const values: ChatParams = {
  temperature: 0.375,
  topP: 0.625,
  maxTokens: 7321,
  stop: ["HALT-HERE"],
  seed: 918_273,
}
/** Wishes to think. */
export const wishes: readonly NonNullable<ChatParams["reasoning"]>[] = ["low", "high", { budgetTokens: 3072 }]

/** A picture that is named, not given. */
export const webPicture: ImageBlock = {
  type: "image",
  source: { type: "url", url: pictureUrl, mediaType: "image/png" },
}

/** A call of the first tool. */
export const call = {
  type: "tool_use",
  id: "call_1",
  name: "find_lodging",
  input: { townPlace: { quarterName: "Speicherstadt", nearWater: true }, nightCount: 41, wantedExtras: [] },
} as const
/** What the call found. */
export const found = { type: "text", text: "Three rooms are free, one with a view." } as const

const asking = assistantMsg([call])
const answering = toolResultMsg([{ type: "tool_result", id: call.id, name: call.name, output: [], state: "success" }])

/** A conversation that called a tool; `output` is what that gave. The same messages each time, so that nothing else differs. */
export function called(output: readonly (typeof found | ImageBlock)[]): ChatRequest {
  const content = toolResultsOf(answering).map((result) => ({ ...result, output }))
  return { messages: [...messages, asking, { ...answering, content }], tools }
}
