import { corpus } from "@agentscope-ts/fixtures"
import { runModelConformance } from "@agentscope-ts/testing"
import { resolve } from "node:path"
import { DashScopeChatModel } from "./index.ts"

runModelConformance({
  name: "DashScopeChatModel",
  create: ({ url, fetch, live, cassette }) =>
    new DashScopeChatModel({
      model: cassette?.model ?? "qwen-max",
      apiKey: "k",
      baseURL: `${url}/api/v1`,
      multimodal: cassette?.api === "dashscope-multimodal" ? true : undefined,
      fetch: live ? undefined : fetch,
    }),
  cassettes: resolve(corpus, "cassettes/dashscope"),
  api: ["dashscope-generation", "dashscope-multimodal"],
  whenAbsent: "skip",
  missingKey: {
    variable: "DASHSCOPE_API_KEY",
    create: () => new DashScopeChatModel({ model: "qwen-max" }),
  },
})
