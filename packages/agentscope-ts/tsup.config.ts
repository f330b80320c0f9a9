import { packageConfig } from "../../tooling/config/tsup.mjs"

// each entry keeps its path: the subpath `model/wire` is `dist/model/wire.js`
export default packageConfig([
  "src/index.ts",
  "src/mcp.ts",
  "src/memory-mem0.ts",
  "src/model/wire.ts",
  "src/model-anthropic.ts",
  "src/model-dashscope.ts",
  "src/model-gemini.ts",
  "src/model-mistral.ts",
  "src/model-offline.ts",
  "src/model-ollama.ts",
  "src/model-openai.ts",
  "src/state/sqlite.ts",
  "src/testing.ts",
  "src/tools-multimodal.ts",
  "src/tools-system.ts",
  "src/tracing.ts",
  "src/tracing/node.ts",
])
