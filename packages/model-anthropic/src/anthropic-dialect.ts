import type { JsonSchema } from "@agentscope-ts/message"
import { type Dialect, type ObjectSchema, objectSchema } from "@agentscope-ts/model"

/** The Messages API's rules for histories. */
export const anthropicDialect: Dialect = {
  provider: "anthropic",
  toolCallId: { pattern: /^[a-zA-Z0-9_-]+$/ },
  toolName: /^[a-zA-Z0-9_-]{1,64}$/,
  thinking: "signed",
  toolUses: "last",
  trailingBlanks: false,
}

const forms = new WeakMap<JsonSchema, ObjectSchema>()

/** {@link anthropicSchema} with the properties that it gives another name. */
export function schemaForm(parameters: JsonSchema): ObjectSchema {
  let form = forms.get(parameters)
  if (!form) {
    form = objectSchema(parameters, /^[a-zA-Z0-9_.-]{1,64}$/)
    forms.set(parameters, form)
  }
  return form
}

/** A tool's parameters as the Messages API takes them; arguments come back under the original names. */
export const anthropicSchema = (parameters: JsonSchema): JsonSchema => schemaForm(parameters).schema
