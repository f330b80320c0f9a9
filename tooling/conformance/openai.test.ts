import { DeepSeekChatModel, OpenAIChatModel } from "@agentscope-ts/model-openai"
import { runModelConformance } from "@agentscope-ts/testing"
import { resolve } from "node:path"
import { corpus } from "./corpus.ts"

runModelConformance({
  name: "OpenAIChatModel",
  create: ({ url, fetch, live, cassette }) => {
    const options = {
      model: cassette?.model ?? "m",
      apiKey: "test-key",
      baseURL: `${url}/v1`,
      fetch: live ? undefined : fetch,
    }
    if (cassette?.provider === "deepseek") return new DeepSeekChatModel(options)
    return new OpenAIChatModel({ ...options, provider: cassette?.provider })
  },
  cassettes: resolve(corpus, "cassettes"),
  api: "openai-chat",
  whenAbsent: "skip",
})
