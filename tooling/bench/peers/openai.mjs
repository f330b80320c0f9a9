// The bare loop over the official client: `openai`, at the version that @agentscope-ts/model-openai brings.
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"

const fromModelOpenai = createRequire(new URL("../../../packages/model-openai/package.json", import.meta.url))

function entry() {
  try {
    return join(dirname(fromModelOpenai.resolve("openai")), "index.mjs")
  } catch {
    return undefined
  }
}

export const needs = {
  installed: async () => existsSync(entry() ?? ""),
  install: "pnpm install",
}

export async function open({ url, tools }) {
  const { OpenAI } = await import(pathToFileURL(entry()).href)
  const client = new OpenAI({ apiKey: "bench", baseURL: url })
  const executes = new Map(tools.map((tool) => [tool.name, tool.execute]))
  const schemas = tools.map(({ name, description, parameters }) => ({
    type: "function",
    function: { name, description, parameters },
  }))

  async function ask(model, messages, stream, onDelta) {
    const request = { model, messages, ...(schemas.length > 0 ? { tools: schemas } : {}) }
    if (!stream) return (await client.chat.completions.create(request)).choices[0].message
    const message = { role: "assistant", content: "" }
    for await (const chunk of await client.chat.completions.create({
      ...request,
      stream: true,
      stream_options: { include_usage: true },
    })) {
      const delta = chunk.choices[0]?.delta
      if (delta?.content) {
        message.content += delta.content
        onDelta?.(delta.content)
      }
      for (const part of delta?.tool_calls ?? []) {
        message.tool_calls ??= []
        const call = message.tool_calls[part.index]
        if (call) call.function.arguments += part.function.arguments
        else message.tool_calls[part.index] = { id: part.id, type: "function", function: { ...part.function } }
      }
    }
    return message
  }

  return {
    agent(model, { stream, onDelta }) {
      const messages = [{ role: "system", content: "You are a helpful assistant." }]
      return {
        session: messages,
        async run(prompt) {
          messages.push({ role: "user", content: prompt })
          for (;;) {
            const message = await ask(model, messages, stream, onDelta)
            messages.push(message)
            if (!message.tool_calls) return message.content
            const call = async ({ id, function: { name, arguments: json } }) => {
              const content = String(await executes.get(name)(JSON.parse(json)))
              return { role: "tool", tool_call_id: id, content }
            }
            messages.push(...(await Promise.all(message.tool_calls.map(call))))
          }
        },
      }
    },
  }
}
