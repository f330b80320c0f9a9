// Chat Completions: how the loopback model answers in it, and the least that a client does with it.
import { sseReader } from "./sse-reader.mjs"

const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }
let responses = 0

export const name = "chat"
/** Where a request goes, below the server's root. */
export const pathOf = () => "/v1/chat/completions"
export const streams = (_, body) => body.includes('"stream":true')
/** What stands in a request once for each tool result. */
export const resultMark = '"role":"tool"'
export const contentType = "text/event-stream"

/** The events of a stream, shaped like those of OpenAI: a role first, usage in a last chunk without choices. */
export function streamed(model, { text, calls }) {
  const head = {
    id: `chatcmpl-${(++responses).toString(36)}`,
    object: "chat.completion.chunk",
    created: 1764547200,
    model,
    service_tier: "default",
    system_fingerprint: "fp_0a1b2c3d4e",
  }
  const chunk = (delta, finish_reason = null) =>
    sse({ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason }], usage: null })
  const events = [chunk({ role: "assistant", content: calls.length > 0 ? null : "", refusal: null })]
  for (const piece of text) events.push(chunk({ content: piece }))
  for (const [index, { id, name, pieces }] of calls.entries()) {
    events.push(chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }))
    for (const piece of pieces) events.push(chunk({ tool_calls: [{ index, function: { arguments: piece } }] }))
  }
  events.push(chunk({}, calls.length > 0 ? "tool_calls" : "stop"))
  events.push(sse({ ...head, choices: [], usage }), "data: [DONE]\n\n")
  return events
}

const sse = (value) => `data: ${JSON.stringify(value)}\n\n`

export function whole(model, { text, calls }) {
  const tool_calls = calls.map(({ id, name, pieces }) => ({
    id,
    type: "function",
    function: { name, arguments: pieces.join("") },
  }))
  const content = calls.length > 0 ? null : text.join("")
  const message = { role: "assistant", content, refusal: null, ...(calls.length > 0 ? { tool_calls } : {}) }
  const finish_reason = calls.length > 0 ? "tool_calls" : "stop"
  return {
    id: `chatcmpl-${(++responses).toString(36)}`,
    object: "chat.completion",
    created: 1764547200,
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason }],
    usage,
  }
}

/** The client's side, for the floors. */
export const client = {
  tools: (tools) =>
    tools.map(({ name, description, parameters }) => ({
      type: "function",
      function: { name, description, parameters },
    })),
  start: (system) => [{ role: "system", content: system }],
  user: (text) => ({ role: "user", content: text }),
  body(model, messages, tools, stream) {
    const request = { model, messages }
    if (tools.length > 0) request.tools = tools
    if (stream) {
      request.stream = true
      request.stream_options = { include_usage: true }
    }
    return request
  },
  message: () => ({ role: "assistant", content: "" }),
  reader: (message, onDelta) => sseReader((data) => readChunk(message, JSON.parse(data), onDelta)),
  parsed: (answer) => answer.choices[0].message,
  calls: (message) =>
    message.tool_calls?.map(({ id, function: { name, arguments: json } }) => ({ id, name, input: JSON.parse(json) })),
  text: (message) => message.content,
  results: (outputs) =>
    outputs.map(({ call, output }) => ({ role: "tool", tool_call_id: call.id, content: String(output) })),
}

function readChunk(message, chunk, onDelta) {
  const delta = chunk.choices[0]?.delta
  if (!delta) return
  if (delta.content) {
    message.content += delta.content
    onDelta?.(delta.content)
  }
  if (delta.tool_calls) {
    message.tool_calls ??= []
    for (const part of delta.tool_calls) {
      const call = message.tool_calls[part.index]
      if (call) call.function.arguments += part.function.arguments
      else message.tool_calls[part.index] = { id: part.id, type: "function", function: { ...part.function } }
    }
  }
}
