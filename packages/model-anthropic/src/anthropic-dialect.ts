import type { JsonSchema } from "@agentscope-ts/message"
import type { Dialect } from "@agentscope-ts/model"
import { ToolForms } from "@agentscope-ts/model/wire"

/** The Messages API's rules for histories. */
export const anthropicDialect: Dialect = {
  provider: "anthropic",
  media: ["image", "file"],
  toolCallId: { pattern: /^[a-zA-Z0-9_-]+$/ },
  toolName: /^[a-zA-Z0-9_-]{1,64}$/,
  thinking: "signed",
  toolUses: "last",
  trailingBlanks: false,
}

/** Tools as the Messages API takes them. */
export const toolForms = new ToolForms(/^[a-zA-Z0-9_.-]{1,64}$/)

/** A tool's parameters as the Messages API takes them; arguments come back under the original names. */
export const anthropicSchema = (parameters: JsonSchema): JsonSchema => toolForms.schema(parameters)
