import { corpus } from "@agentscope-ts/fixtures"
import { runModelConformance } from "@agentscope-ts/testing"
import { GeminiChatModel } from "./index.ts"

runModelConformance({
  name: "GeminiChatModel",
  create: ({ url, fetch, live, cassette }) =>
    new GeminiChatModel({
      model: cassette?.model ?? "gemini-2.5-flash",
      apiKey: "test-key",
      baseURL: url,
      fetch: live ? undefined : fetch,
    }),
  cassettes: ["gemini", "vertex"].map((folder) => `${corpus}/cassettes/${folder}`),
  whenAbsent: "skip",
  missingKey: { variable: "GEMINI_API_KEY", create: () => new GeminiChatModel({ model: "m" }) },
})
