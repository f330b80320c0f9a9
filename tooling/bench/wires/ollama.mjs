// Ollama: a line of JSON with its time for each piece, whole calls in a line.
export const name = "ollama"
export const pathOf = () => "/api/chat"
export const streams = (_, body) => !body.includes('"stream":false')
export const resultMark = '"role":"tool"'
export const contentType = "application/x-ndjson"

let time = 0
const dated = (model, rest) => ({
  model,
  created_at: `2026-12-01T00:00:00.${String((time = (time + 37_351) % 1_000_000)).padStart(6, "0")}Z`,
  ...rest,
})
const messageOf = (content, calls = []) => ({
  role: "assistant",
  content,
  ...(calls.length > 0 && {
    tool_calls: calls.map(({ name, pieces }) => ({ function: { name, arguments: JSON.parse(pieces.join("")) } })),
  }),
})
const ended = { done: true, done_reason: "stop", total_duration: 1_897_385_625, load_duration: 1_631_208 }
const figures = { prompt_eval_count: 100, prompt_eval_duration: 313_560_000, eval_count: 20, eval_duration: 1_577_990 }

export function streamed(model, { text, calls }) {
  const line = (value) => `${JSON.stringify(value)}\n`
  const lines = text.map((piece) => line(dated(model, { message: messageOf(piece), done: false })))
  if (calls.length > 0) lines.push(line(dated(model, { message: messageOf("", calls), done: false })))
  lines.push(line(dated(model, { message: messageOf(""), ...ended, ...figures })))
  return lines
}

export const whole = (model, { text, calls }) =>
  dated(model, { message: messageOf(calls.length > 0 ? "" : text.join(""), calls), ...ended, ...figures })

export const client = {
  tools: (tools) =>
    tools.map(({ name, description, parameters }) => ({
      type: "function",
      function: { name, description, parameters },
    })),
  start: (system) => [{ role: "system", content: system }],
  user: (text) => ({ role: "user", content: text }),
  body(model, messages, tools, stream) {
    const request = { model, messages, stream }
    if (tools.length > 0) request.tools = tools
    return request
  },
  message: () => ({ role: "assistant", content: "" }),
  reader(message, onDelta) {
    let rest = ""
    return (text) => {
      rest += text
      let from = 0
      for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n", from)) {
        readLine(message, JSON.parse(rest.slice(from, end)), onDelta)
        from = end + 1
      }
      rest = rest.slice(from)
    }
  },
  parsed: (answer) => answer.message,
  calls: (message) =>
    message.tool_calls?.map(({ function: { name, arguments: input } }) => ({ id: undefined, name, input })),
  text: (message) => message.content,
  results: (outputs) =>
    outputs.map(({ call, output }) => ({ role: "tool", tool_name: call.name, content: String(output) })),
}

function readLine(message, { message: delta }, onDelta) {
  if (delta.content) {
    message.content += delta.content
    onDelta?.(delta.content)
  }
  if (delta.tool_calls) (message.tool_calls ??= []).push(...delta.tool_calls)
}
