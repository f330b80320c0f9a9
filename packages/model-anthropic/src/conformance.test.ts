import { resolve } from "node:path"
import { corpus } from "@agentscope-ts/fixtures"
import { runModelConformance } from "@agentscope-ts/testing"
import { AnthropicChatModel } from "./index.ts"

runModelConformance({
  name: "AnthropicChatModel",
  create: ({ url, fetch, live, cassette }) =>
    new AnthropicChatModel({
      model: cassette?.model ?? "claude-sonnet-4-5",
      apiKey: "k",
      baseURL: url,
      fetch: live ? undefined : fetch,
    }),
  cassettes: resolve(corpus, "cassettes/anthropic"),
  whenAbsent: "skip",
  missingKey: { variable: "ANTHROPIC_API_KEY", create: () => new AnthropicChatModel({ model: "m" }) },
})
