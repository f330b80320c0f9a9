// The agent loop that both floors share: no validation, no events, no errors handled. `post(path, body, onText, stream)` does
// the transport, `client` is the wire's side of it.

const system = "You are a helpful assistant."

/** @param {(path: string, body: string, onText: (text: string) => void, stream: boolean) => Promise<void>} post */
export function bareLoop(post, tools, { client, pathOf }) {
  const executes = new Map(tools.map((tool) => [tool.name, tool.execute]))
  const schemas = client.tools(tools)

  async function ask(model, messages, stream, onDelta) {
    const body = JSON.stringify(client.body(model, messages, schemas, stream, system))
    if (!stream) {
      let text = ""
      const collect = (part) => {
        text += part
      }
      await post(pathOf(model, stream), body, collect, stream)
      return client.parsed(JSON.parse(text))
    }
    const message = client.message()
    await post(pathOf(model, stream), body, client.reader(message, onDelta), stream)
    return message
  }

  return (model, { stream, onDelta }) => {
    const messages = client.start(system)
    return {
      session: messages,
      async run(prompt) {
        messages.push(client.user(prompt))
        for (;;) {
          const message = await ask(model, messages, stream, onDelta)
          if (client.pushed) messages.push(...client.pushed(message))
          else messages.push(message)
          const calls = client.calls(message)
          if (!calls) return client.text(message)
          const outputs = await Promise.all(
            calls.map(async (call) => ({ call, output: await executes.get(call.name)(call.input) })),
          )
          messages.push(...client.results(outputs))
        }
      },
    }
  }
}
