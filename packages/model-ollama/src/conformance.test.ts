import { corpus } from "@agentscope-ts/fixtures"
import { runModelConformance } from "@agentscope-ts/testing"
import { resolve } from "node:path"
import { OllamaChatModel } from "./index.ts"

runModelConformance({
  name: "OllamaChatModel",
  create: ({ url, fetch, live, cassette }) =>
    new OllamaChatModel({ model: cassette?.model ?? "llama3", baseURL: url, fetch: live ? undefined : fetch }),
  cassettes: resolve(corpus, "cassettes/ollama"),
  api: "ollama-chat",
  whenAbsent: "skip",
})
