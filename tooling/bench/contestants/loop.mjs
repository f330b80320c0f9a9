// The agent loop that both floors share: no validation, no events, no errors handled. `post(body, onText)` does the transport.

/** @param {(body: string, onText: (text: string) => void) => Promise<void>} post */
export function bareLoop(post, tools) {
  const executes = new Map(tools.map((tool) => [tool.name, tool.execute]))
  const schemas = tools.map(({ name, description, parameters }) => ({
    type: "function",
    function: { name, description, parameters },
  }))

  async function ask(model, messages, stream, onDelta) {
    const request = { model, messages }
    if (schemas.length > 0) request.tools = schemas
    if (!stream) {
      let text = ""
      await post(JSON.stringify(request), (part) => {
        text += part
      })
      return JSON.parse(text).choices[0].message
    }
    request.stream = true
    request.stream_options = { include_usage: true }
    const message = { role: "assistant", content: "" }
    const read = sseReader((data) => readChunk(message, JSON.parse(data), onDelta))
    await post(JSON.stringify(request), read)
    return message
  }

  return (model, { stream, onDelta }) => {
    const messages = [{ role: "system", content: "You are a helpful assistant." }]
    return {
      session: messages,
      async run(prompt) {
        messages.push({ role: "user", content: prompt })
        for (;;) {
          const message = await ask(model, messages, stream, onDelta)
          messages.push(message)
          if (!message.tool_calls) return message.content
          const results = await Promise.all(
            message.tool_calls.map(async ({ id, function: { name, arguments: json } }) => {
              const output = await executes.get(name)(JSON.parse(json))
              return { role: "tool", tool_call_id: id, content: String(output) }
            }),
          )
          messages.push(...results)
        }
      },
    }
  }
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

function sseReader(onData) {
  let rest = ""
  return (text) => {
    rest += text
    let from = 0
    for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n", from)) {
      if (end > from + 6 && rest.charCodeAt(from) === 100 && rest.charCodeAt(from + 6) !== 91)
        onData(rest.slice(from + 6, end))
      from = end + 1
    }
    rest = rest.slice(from)
  }
}
