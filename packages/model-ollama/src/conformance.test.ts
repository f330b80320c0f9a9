import { runModelConformance } from "@agentscope-ts/testing"
import { resolve } from "node:path"
import { corpus } from "./fixtures/corpus.ts"
import { OllamaChatModel } from "./index.ts"

runModelConformance({
  name: "OllamaChatModel",
  create: ({ url, fetch, live, cassette }) =>
    new OllamaChatModel({ model: cassette?.model ?? "llama3", baseURL: url, fetch: live ? undefined : fetch }),
  cassettes: resolve(corpus, "cassettes/ollama"),
  api: "ollama-chat",
  whenAbsent: "skip",
})
