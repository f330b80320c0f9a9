// This project: a ReActAgent on an OpenAIChatModel, from the built packages.
import { ReActAgent } from "@agentscope-ts/agent"
import { textOf } from "@agentscope-ts/message"
import { OpenAIChatModel } from "@agentscope-ts/model-openai"
import { Toolkit, tool } from "@agentscope-ts/tool"

const pass = async () => {}
const allHooks = {
  preReply: pass,
  postReply: pass,
  preReasoning: pass,
  postReasoning: pass,
  preActing: pass,
  postActing: pass,
}

/** `options.traced`: an exporter on, with or without the content of messages; `options.hooks`: one on each hook point. */
export async function open({ url, tools, options = {} }) {
  let tracing
  if (options.traced) {
    const { initTracing } = await import("@agentscope-ts/tracing/node")
    const otlpEndpoint = new URL("/v1/traces", url).href
    tracing = await initTracing({ serviceName: "bench", otlpEndpoint, captureContent: options.traced === "content" })
  }
  // as users do: one model and one toolkit for all agents
  const models = new Map()
  const modelOf = (name) => {
    let model = models.get(name)
    if (!model) models.set(name, (model = new OpenAIChatModel({ model: name, baseURL: url, apiKey: "bench" })))
    return model
  }
  const toolkit =
    tools.length > 0
      ? new Toolkit({
          tools: tools.map(({ name, description, input, parameters, execute }) =>
            tool({ name, description, input: input ?? parameters, execute }),
          ),
        })
      : undefined

  return {
    close: () => tracing?.shutdown(),
    agent(modelName, { stream, onDelta }) {
      const agent = new ReActAgent({
        name: "Friday",
        systemPrompt: "You are a helpful assistant.",
        model: modelOf(modelName),
        ...(toolkit ? { toolkit } : {}),
        ...(options.hooks ? { hooks: allHooks } : {}),
        maxIterations: 10_000,
        streaming: stream,
      })
      return {
        session: agent.memory,
        holder: agent,
        async run(prompt) {
          if (!onDelta) return textOf(await agent.reply(prompt))
          const run = agent.stream(prompt)
          for await (const event of run) if (event.type === "text_delta") onDelta(event.text)
          return textOf(await run.reply)
        },
      }
    },
  }
}
