import { resolve } from "node:path"
import { corpus } from "@agentscope-ts/fixtures"
import { runModelConformance } from "@agentscope-ts/testing"
import { DeepSeekChatModel, OpenAIChatModel, OpenAIResponsesModel } from "./index.ts"

runModelConformance({
  name: "Chat Completions",
  cassettes: resolve(corpus, "cassettes/index.json"),
  whenAbsent: "skip",
  api: "openai-chat",
  create: ({ url, fetch, live, cassette }) => {
    const { provider = "openai", model } = cassette ?? {}
    const options = { model: model ?? "m", apiKey: "test-key", baseURL: `${url}/v1`, fetch: live ? undefined : fetch }
    return provider === "deepseek" ? new DeepSeekChatModel(options) : new OpenAIChatModel({ ...options, provider })
  },
  missingKey: { variable: "OPENAI_API_KEY", create: () => new OpenAIChatModel({ model: "m" }) },
})

runModelConformance({
  name: "the Responses API",
  cassettes: resolve(corpus, "cassettes/index.json"),
  whenAbsent: "skip",
  api: "openai-responses",
  create: ({ url, fetch, live, cassette }) => {
    const { provider = "openai", model } = cassette ?? {}
    const options = { model: model ?? "m", apiKey: "test-key", baseURL: `${url}/v1`, provider }
    return new OpenAIResponsesModel({ ...options, fetch: live ? undefined : fetch })
  },
  missingKey: { variable: "OPENAI_API_KEY", create: () => new OpenAIResponsesModel({ model: "m" }) },
})
