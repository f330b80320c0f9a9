// OpenAI's Responses API: items, and events that count themselves.
import { sseReader } from "./sse-reader.mjs"

let responses = 0

export const name = "responses"
export const pathOf = () => "/v1/responses"
export const streams = (_, body) => body.includes('"stream":true')
export const resultMark = '"type":"function_call_output"'
/** How many events come before the first text. */
export const headEvents = 3
export const contentType = "text/event-stream"

const usage = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 20,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 120,
}
const idOf = (kind) => `${kind}_${(++responses).toString(36)}`

function itemsOf({ text, calls }) {
  if (calls.length === 0) {
    const content = [{ type: "output_text", annotations: [], logprobs: [], text: text.join("") }]
    return [{ id: idOf("msg"), type: "message", status: "completed", content, role: "assistant" }]
  }
  return calls.map(({ id, name, pieces }) => ({
    id: idOf("fc"),
    type: "function_call",
    status: "completed",
    arguments: pieces.join(""),
    call_id: id,
    name,
  }))
}

const responseOf = (model, status, output) => ({
  id: idOf("resp"),
  object: "response",
  created_at: 1764547200,
  status,
  error: null,
  incomplete_details: null,
  model,
  output,
  usage: status === "completed" ? usage : null,
})

export function streamed(model, message) {
  const events = []
  const push = (type, rest) => {
    events.push(`event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: events.length, ...rest })}\n\n`)
  }
  const items = itemsOf(message)
  push("response.created", { response: responseOf(model, "in_progress", []) })
  for (const [output_index, item] of items.entries()) {
    const at = { item_id: item.id, output_index }
    if (item.type === "message") {
      push("response.output_item.added", { output_index, item: { ...item, status: "in_progress", content: [] } })
      const part = { type: "output_text", annotations: [], logprobs: [], text: "" }
      push("response.content_part.added", { ...at, content_index: 0, part })
      for (const delta of message.text)
        push("response.output_text.delta", { ...at, content_index: 0, delta, logprobs: [] })
    } else {
      push("response.output_item.added", { output_index, item: { ...item, status: "in_progress", arguments: "" } })
      const { pieces } = message.calls[output_index]
      for (const delta of pieces) push("response.function_call_arguments.delta", { ...at, delta })
      push("response.function_call_arguments.done", { ...at, arguments: item.arguments })
    }
    push("response.output_item.done", { output_index, item })
  }
  push("response.completed", { response: responseOf(model, "completed", items) })
  return events
}

export const whole = (model, message) => responseOf(model, "completed", itemsOf(message))

export const client = {
  tools: (tools) =>
    tools.map(({ name, description, parameters }) => ({ type: "function", name, description, parameters })),
  start: (system) => [{ role: "system", content: system }],
  user: (text) => ({ role: "user", content: text }),
  body(model, input, tools, stream) {
    const request = { model, input, store: false }
    if (tools.length > 0) request.tools = tools
    if (stream) request.stream = true
    return request
  },
  message: () => ({ items: [] }),
  reader: (message, onDelta) => sseReader((data) => readEvent(message.items, JSON.parse(data), onDelta)),
  parsed: ({ output }) => ({ items: output }),
  /** One answer may be several items of the input. */
  pushed: (message) => message.items,
  calls(message) {
    const calls = message.items.filter((item) => item.type === "function_call")
    if (calls.length === 0) return undefined
    return calls.map((item) => ({ id: item.call_id, name: item.name, input: JSON.parse(item.arguments) }))
  },
  text: (message) => message.items.flatMap((item) => item.content?.map((part) => part.text) ?? []).join(""),
  results: (outputs) =>
    outputs.map(({ call, output }) => ({ type: "function_call_output", call_id: call.id, output: String(output) })),
}

function readEvent(items, event, onDelta) {
  switch (event.type) {
    case "response.output_item.added":
      items[event.output_index] = event.item
      break
    case "response.content_part.added":
      items[event.output_index].content[event.content_index] = event.part
      break
    case "response.output_text.delta":
      items[event.output_index].content[event.content_index].text += event.delta
      onDelta?.(event.delta)
      break
    case "response.function_call_arguments.delta":
      items[event.output_index].arguments += event.delta
      break
    default:
  }
}
