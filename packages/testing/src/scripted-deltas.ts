import { type ChatDelta, cutText, type JsonObject } from "@agentscope-ts/message"
import type { ChatRequest } from "@agentscope-ts/model"
import type { ScriptedAnswer, ScriptedToolUse } from "./scripted-step.ts"
import { testingError } from "./testing-error.ts"

/** The tool through which agents ask for a structured reply. */
const finishTool = "generate_response"

/** An answer as a model would send it: whole parts, or cut into a few deltas each when streamed. */
export function deltasOf(
  answer: ScriptedAnswer,
  request: ChatRequest,
  streaming: boolean,
  newCallId: (given: string | undefined) => string,
): readonly ChatDelta[] {
  const { text, toolUses } = withStructured(answer, request)
  const cut = streaming ? pieces : (whole: string) => (whole === "" ? [] : [whole])
  const deltas: ChatDelta[] = []
  let index = 0
  if (answer.thinking) {
    for (const piece of cut(answer.thinking)) deltas.push({ type: "thinking_delta", index, text: piece })
    index++
  }
  if (text) {
    for (const piece of cut(text)) deltas.push({ type: "text_delta", index, text: piece })
    index++
  }
  for (const use of toolUses) {
    const id = newCallId(use.id)
    deltas.push({ type: "tool_use_start", index, id, name: use.name })
    const json = typeof use.input === "string" ? use.input : JSON.stringify(use.input)
    for (const piece of cut(json)) deltas.push({ type: "tool_use_delta", index, id, json: piece })
    index++
  }
  return deltas
}

/** Whether the answer, to this request, ends in tool calls. */
export function callsTools(answer: ScriptedAnswer, request: ChatRequest): boolean {
  return withStructured(answer, request).toolUses.length > 0
}

function withStructured(
  answer: ScriptedAnswer,
  request: ChatRequest,
): { text: string | undefined; toolUses: readonly ScriptedToolUse[] } {
  const toolUses = answer.toolUses ?? []
  if (answer.structured === undefined) return { text: answer.text, toolUses }
  if (isObject(answer.structured) && request.tools?.some((tool) => tool.name === finishTool)) {
    return { text: answer.text, toolUses: [...toolUses, { name: finishTool, input: answer.structured }] }
  }
  if (answer.text !== undefined) {
    throw testingError(
      "invalid_step",
      `A ScriptedModel's answer has both text and structured, and the request has no ${finishTool} tool, so the structured value has to be the text: leave text out.`,
    )
  }
  return { text: JSON.stringify(answer.structured), toolUses }
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** At most eight pieces of at least four units, the same for the same text; no cut goes through a character. */
function pieces(text: string): string[] {
  const size = Math.max(4, Math.ceil(text.length / 8))
  const out: string[] = []
  for (let rest = text; rest !== ""; ) {
    const piece = cutText(rest, size)
    out.push(piece)
    rest = rest.slice(piece.length)
  }
  return out
}
