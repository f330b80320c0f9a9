import type { JsonSchema } from "@agentscope-ts/message"
import { type Dialect, inlineRefs } from "@agentscope-ts/model"

/** Ollama's rules for histories: it looks at neither the ids of calls nor the names of tools. */
export const ollamaDialect: Dialect = { provider: "ollama", media: ["image"] }

/** A tool's parameters as Ollama takes them: without references, with an object at the root. */
export function ollamaSchema(parameters: JsonSchema): JsonSchema {
  const inlined = inlineRefs(parameters)
  return inlined.type === "object" ? inlined : { ...inlined, type: "object" }
}
