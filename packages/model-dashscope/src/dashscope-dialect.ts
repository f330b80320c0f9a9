import type { JsonSchema } from "@agentscope-ts/message"
import type { Dialect } from "@agentscope-ts/model"

/** DashScope's rules for histories. */
export const dashscopeDialect: Dialect = {
  provider: "dashscope",
  toolCallId: { pattern: /^\S+$/, maxLength: 64 },
  toolName: /^[a-zA-Z0-9_-]{1,64}$/,
  media: ["image", "audio", "video"],
}

/** A tool's parameters as DashScope takes them: JSON Schema as it is, with an object at the root. */
export function dashscopeSchema(parameters: JsonSchema): JsonSchema {
  return parameters.type === "object" ? parameters : { ...parameters, type: "object" }
}
