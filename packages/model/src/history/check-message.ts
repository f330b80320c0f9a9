import { didYouMean, type Msg, nearestName } from "@agentscope-ts/message"
import { modelError } from "../errors/model-error.ts"
import { sourceFault } from "./source-fault.ts"

type Fields = Readonly<Record<string, unknown>>

/** How a block of each type is written. */
const shapes = {
  text: '{ type: "text", text: "…" }',
  thinking: '{ type: "thinking", thinking: "…" }',
  image: '{ type: "image", source: { type: "url", url: "…" } }',
  audio: '{ type: "audio", source: { type: "url", url: "…" } }',
  video: '{ type: "video", source: { type: "url", url: "…" } }',
  file: '{ type: "file", source: { type: "url", url: "…" } }',
  tool_use: '{ type: "tool_use", id: "…", name: "…", input: { … } }',
  tool_result: '{ type: "tool_result", id: "…", name: "…", output: [{ type: "text", text: "…" }], state: "success" }',
} as const
type BlockName = keyof typeof shapes
const blockNames = Object.keys(shapes) as BlockName[]

/** What the formats of providers call our blocks. */
const elsewhere = new Map<unknown, BlockName>([
  ["input_text", "text"],
  ["output_text", "text"],
  ["refusal", "text"],
  ["reasoning", "thinking"],
  ["redacted_thinking", "thinking"],
  ["image_url", "image"],
  ["input_image", "image"],
  ["inline_data", "image"],
  ["audio_url", "audio"],
  ["input_audio", "audio"],
  ["video_url", "video"],
  ["input_video", "video"],
  ["input_file", "file"],
  ["document", "file"],
  ["function", "tool_use"],
  ["function_call", "tool_use"],
  ["tool_call", "tool_use"],
  ["function_call_output", "tool_result"],
])

const roles = ["user", "assistant", "system", "tool"]

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Throws `invalid_request` for what is no list. */
export function checkMessageList(messages: unknown): asserts messages is readonly Msg[] {
  if (Array.isArray(messages)) return
  const hint = typeof messages === "string" ? `[userMsg(${JSON.stringify(messages.slice(0, 40))})]` : '[userMsg("…")]'
  throw invalid("messages", `is ${kindOf(messages)}, and has to be a list of messages, such as ${hint}.`)
}

/**
 * Throws `invalid_request` for a message that is none of ours, naming its place: plain JavaScript, a cast, or JSON from
 * elsewhere get past the types, and what no formatter knows would be missing from the request without a word.
 */
export function checkMessage(msg: unknown, index: number): void {
  const where = `messages[${index}]`
  if (!isFields(msg)) throw invalid(where, `is ${kindOf(msg)}, no message: make one, such as userMsg("…").`)
  const { role, content } = msg
  if (typeof role !== "string" || !roles.includes(role)) {
    const meant = typeof role === "string" ? didYouMean(role, roles) : ""
    throw invalid(where, `has the role ${JSON.stringify(role)}, which is none of ${roles.join(", ")}.${meant}`)
  }
  for (const foreign of ["tool_calls", "tool_call_id", "function_call"]) {
    if (msg[foreign] === undefined) continue
    throw invalid(where, `has "${foreign}", as messages of OpenAI's have: take what importMessages makes of them.`)
  }
  if (!Array.isArray(content)) {
    const kind = content === undefined || content === null ? "no content" : `a content that is ${kindOf(content)}`
    const made = `${role === "assistant" ? "assistantMsg" : role === "system" ? "systemMsg" : "userMsg"}("…")`
    throw invalid(where, `has ${kind}, and a list of blocks has to be there: make messages by ${made}.`)
  }
  // it is read without another look, here and by whoever prints a history
  if (typeof msg["name"] !== "string") {
    throw invalid(where, `has no name: make messages by ${role === "assistant" ? "assistantMsg" : "userMsg"}("…").`)
  }
  checkBlocks(content, where, ".content")
}

/**
 * Throws `invalid_request` for a block that is none of ours, naming its place in the list: `results[0].output[1] has …` for
 * a list that `parent` and `list` name together.
 */
export function checkBlocks(blocks: readonly unknown[], parent: string, list = ""): void {
  for (let i = 0; i < blocks.length; i++) {
    const block = blocks[i]
    const fault = faultOf(block)
    if (fault !== undefined) throw invalid(`${parent}${list}[${i}]`, fault)
    const { type, output } = block as { readonly type: string; readonly output?: readonly unknown[] }
    if (type === "tool_result" && output) checkBlocks(output, `${parent}${list}[${i}]`, ".output")
  }
}

/** What is wrong with a block; undefined where nothing is. */
function faultOf(block: unknown): string | undefined {
  if (!isFields(block)) return `is ${kindOf(block)}, no block: write ${shapes.text}.`
  const { type } = block
  switch (type) {
    case "text":
    case "thinking":
      return typeof block[type] === "string" ? undefined : `has no text in "${type}": write ${shapes[type]}.`
    case "image":
    case "audio":
    case "video":
    case "file": {
      const fault = sourceFault(block, type)
      return fault && `of type "${type}" ${fault}`
    }
    case "tool_use":
      if (typeof block["id"] === "string" && typeof block["name"] === "string" && isFields(block["input"]))
        return undefined
      return `of type "tool_use" needs an id, a name and an input that is an object: write ${shapes.tool_use}.`
    case "tool_result":
      if (typeof block["id"] === "string" && typeof block["name"] === "string" && Array.isArray(block["output"]))
        return undefined
      return `of type "tool_result" needs an id, a name and an output that is a list of blocks: write ${shapes.tool_result}, or take toolResult(call, value).`
    default:
      return unknownType(block)
  }
}

function unknownType(block: Fields): string {
  const { type } = block
  const named = typeof type === "string" ? (elsewhere.get(type) ?? nearestName(type, blockNames)) : undefined
  // a block without a type is told by what it holds
  const meant = named ?? (type === undefined ? blockNames.find((name) => name in block) : undefined)
  const problem = type === undefined ? "has no type" : `has the unknown type ${JSON.stringify(type)}`
  if (meant === undefined) return `${problem}. The types are ${blockNames.join(", ")}.`
  return `${problem}. Did you mean "${meant}"? It is written ${shapes[meant as BlockName]}.`
}

/** What a value is, in words. */
function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value)
  if (typeof value === "string") return "a text"
  if (Array.isArray(value)) return "a list"
  return typeof value === "object" ? "an object" : `a ${typeof value}`
}

const invalid = (where: string, problem: string): Error =>
  modelError({ code: "invalid_request", message: `${where} ${problem}` })
