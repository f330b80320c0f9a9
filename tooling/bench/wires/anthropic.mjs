// Anthropic's Messages API: events that name themselves, padded as the real ones are.
import { sseReader } from "./sse-reader.mjs"

let responses = 0

export const name = "anthropic"
export const pathOf = () => "/v1/messages"
export const streams = (_, body) => body.includes('"stream":true')
export const resultMark = '"type":"tool_result"'
/** How many events come before the first text. */
export const headEvents = 2
export const contentType = "text/event-stream"

const idOf = () => `msg_${(++responses).toString(36)}`
const usage = {
  input_tokens: 100,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 20,
}
const sse = (value, i = 0) =>
  `event: ${value.type}\ndata: ${JSON.stringify(value).slice(0, -1)}${" ".repeat((i * 5) % 13)}}\n\n`

export function streamed(model, { text, calls }) {
  const message = { id: idOf(), type: "message", role: "assistant", model, content: [], stop_reason: null, usage }
  const events = [sse({ type: "message_start", message })]
  const block = (content_block, deltas, at) => {
    events.push(sse({ type: "content_block_start", index: at, content_block }))
    for (const [i, delta] of deltas.entries()) events.push(sse({ type: "content_block_delta", index: at, delta }, i))
    events.push(sse({ type: "content_block_stop", index: at }))
  }
  if (text.length > 0)
    block(
      { type: "text", text: "" },
      text.map((piece) => ({ type: "text_delta", text: piece })),
      0,
    )
  for (const [at, { id, name, pieces }] of calls.entries())
    block(
      { type: "tool_use", id, name, input: {} },
      pieces.map((piece) => ({ type: "input_json_delta", partial_json: piece })),
      at,
    )
  const stop_reason = calls.length > 0 ? "tool_use" : "end_turn"
  events.push(sse({ type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage }))
  events.push(sse({ type: "message_stop" }))
  return events
}

export function whole(model, { text, calls }) {
  const content =
    calls.length > 0
      ? calls.map(({ id, name, pieces }) => ({ type: "tool_use", id, name, input: JSON.parse(pieces.join("")) }))
      : [{ type: "text", text: text.join("") }]
  const stop_reason = calls.length > 0 ? "tool_use" : "end_turn"
  return { id: idOf(), type: "message", role: "assistant", model, content, stop_reason, stop_sequence: null, usage }
}

export const client = {
  headers: { "x-api-key": "bench", "anthropic-version": "2023-06-01" },
  tools: (tools) =>
    tools.map(({ name, description, parameters: input_schema }) => ({ name, description, input_schema })),
  start: () => [],
  user: (text) => ({ role: "user", content: [{ type: "text", text }] }),
  body(model, messages, tools, stream, system) {
    const request = { model, max_tokens: 4096, system, messages }
    if (tools.length > 0) request.tools = tools
    if (stream) request.stream = true
    return request
  },
  message: () => ({ role: "assistant", content: [] }),
  reader: (message, onDelta) => sseReader((data) => readEvent(message.content, JSON.parse(data), onDelta)),
  parsed: ({ role, content }) => ({ role, content }),
  calls(message) {
    const calls = message.content.filter((block) => block.type === "tool_use")
    return calls.length > 0 ? calls : undefined
  },
  text: (message) => message.content.map((block) => block.text ?? "").join(""),
  results: (outputs) => [
    {
      role: "user",
      content: outputs.map(({ call, output }) => ({
        type: "tool_result",
        tool_use_id: call.id,
        content: String(output),
      })),
    },
  ],
}

function readEvent(content, event, onDelta) {
  if (event.type === "content_block_start") content[event.index] = { ...event.content_block, json: "" }
  if (event.type === "content_block_stop") {
    const { json, ...block } = content[event.index]
    if (block.type === "tool_use") block.input = JSON.parse(json)
    content[event.index] = block
  }
  if (event.type !== "content_block_delta") return
  const { delta } = event
  const block = content[event.index]
  if (delta.type === "text_delta") {
    block.text += delta.text
    onDelta?.(delta.text)
  } else if (delta.type === "input_json_delta") block.json += delta.partial_json
}
