// DashScope's own API for text: numbered events, each with the figures so far.
import { sseReader } from "./sse-reader.mjs"

let responses = 0

export const name = "dashscope"
export const pathOf = () => "/api/v1/services/aigc/text-generation/generation"
export const streams = (_, body) => body.includes('"incremental_output":true')
export const resultMark = '"role":"tool"'
export const contentType = "text/event-stream"

const answer = (message, output_tokens, finish_reason) => ({
  output: { choices: [{ message: { ...message, role: "assistant" }, index: 0, finish_reason }] },
  usage: {
    total_tokens: 100 + output_tokens,
    output_tokens,
    input_tokens: 100,
    prompt_tokens_details: { cached_tokens: 0 },
  },
  request_id: `144bde91-158f-46e9-ac9c-${String(responses).padStart(12, "0")}`,
})
const callOf = (index, id, name, json) => ({
  index,
  id,
  type: "function",
  function: { ...(name && { name }), arguments: json },
})

export function streamed(_, { text, calls }) {
  responses++
  const events = []
  const push = (message, finish = "null") => {
    const json = JSON.stringify(answer(message, events.length + 1, finish))
    events.push(`id:${events.length + 1}\nevent:result\n:HTTP_STATUS/200\ndata:${json}\n\n`)
  }
  for (const content of text) push({ content })
  for (const [index, { id, name, pieces }] of calls.entries()) {
    push({ content: "", tool_calls: [callOf(index, id, name, "")] })
    for (const piece of pieces) push({ content: "", tool_calls: [callOf(index, "", undefined, piece)] })
  }
  push({ content: "" }, calls.length > 0 ? "tool_calls" : "stop")
  return events
}

export function whole(_, { text, calls }) {
  responses++
  const tool_calls = calls.map(({ id, name, pieces }, index) => callOf(index, id, name, pieces.join("")))
  if (tool_calls.length > 0) return answer({ content: "", tool_calls }, 20, "tool_calls")
  return answer({ content: text.join("") }, 20, "stop")
}

export const client = {
  tools: (tools) =>
    tools.map(({ name, description, parameters }) => ({
      type: "function",
      function: { name, description, parameters },
    })),
  headers: { authorization: "Bearer bench" },
  streamHeaders: { "x-dashscope-sse": "enable" },
  start: (system) => [{ role: "system", content: system }],
  user: (text) => ({ role: "user", content: text }),
  body(model, messages, tools, stream) {
    const parameters = { result_format: "message" }
    if (stream) parameters.incremental_output = true
    if (tools.length > 0) parameters.tools = tools
    return { model, parameters, input: { messages } }
  },
  message: () => ({ role: "assistant", content: "" }),
  reader: (message, onDelta) => sseReader((data) => readEvent(message, JSON.parse(data), onDelta)),
  parsed: ({ output }) => output.choices[0].message,
  calls: (message) =>
    message.tool_calls?.map(({ id, function: { name, arguments: json } }) => ({ id, name, input: JSON.parse(json) })),
  text: (message) => message.content,
  results: (outputs) =>
    outputs.map(({ call, output }) => ({ role: "tool", tool_call_id: call.id, content: String(output) })),
}

function readEvent(message, { output }, onDelta) {
  const delta = output.choices[0].message
  if (delta.content) {
    message.content += delta.content
    onDelta?.(delta.content)
  }
  for (const part of delta.tool_calls ?? []) {
    message.tool_calls ??= []
    const call = message.tool_calls[part.index]
    if (call) call.function.arguments += part.function.arguments
    else message.tool_calls[part.index] = { ...part, function: { ...part.function } }
  }
}
