// This project: a ReActAgent on a provider's model, from the built packages.
import { ReActAgent } from "@agentscope-ts/agent"
import { textOf } from "@agentscope-ts/message"
import { Toolkit, tool } from "@agentscope-ts/tool"

/** A provider's class by its wire, and what its base URL adds to the server's root. Only the one that is asked for is loaded. */
const providers = {
  chat: async () => [(await import("@agentscope-ts/model-openai")).OpenAIChatModel, "/v1"],
  responses: async () => [(await import("@agentscope-ts/model-openai")).OpenAIResponsesModel, "/v1"],
  anthropic: async () => [(await import("@agentscope-ts/model-anthropic")).AnthropicChatModel, ""],
  gemini: async () => [(await import("@agentscope-ts/model-gemini")).GeminiChatModel, ""],
  dashscope: async () => [(await import("@agentscope-ts/model-dashscope")).DashScopeChatModel, "/api/v1"],
  ollama: async () => [(await import("@agentscope-ts/model-ollama")).OllamaChatModel, ""],
}

const pass = async () => {}
const allHooks = {
  preReply: pass,
  postReply: pass,
  preReasoning: pass,
  postReasoning: pass,
  preActing: pass,
  postActing: pass,
}

/** `options.wire`: the provider's, `chat` unless given; `options.traced`: an exporter on, with or without the content of messages; `options.hooks`: one on each hook point. */
export async function open({ url, tools, options = {} }) {
  let tracing
  if (options.traced) {
    const { initTracing } = await import("@agentscope-ts/tracing/node")
    const otlpEndpoint = new URL("/v1/traces", url).href
    tracing = await initTracing({ serviceName: "bench", otlpEndpoint, captureContent: options.traced === "content" })
  }
  const [Model, base] = await providers[options.wire ?? "chat"]()
  const baseURL = new URL(url).origin + base
  // as users do: one model and one toolkit for all agents
  const models = new Map()
  const modelOf = (name) => {
    let model = models.get(name)
    if (!model) models.set(name, (model = new Model({ model: name, baseURL, apiKey: "bench" })))
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
