import type { JsonObject, JsonSchema } from "@agentscope-ts/message"

/** What checks a value: as `validatorOf` of the model package makes it. */
export type Validate = (
  value: unknown,
) =>
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly { readonly path: string; readonly message: string }[] }

/**
 * Asks for a value: an object property by property, anything else as JSON. What does not fit is said and asked again. An
 * empty answer leaves an optional property out.
 */
export async function askStructured(
  name: string,
  schema: JsonSchema,
  validate: Validate,
  ask: (question: string) => Promise<string>,
): Promise<unknown> {
  let lead = `${name}: `
  for (;;) {
    const properties = schema.type === "object" ? Object.entries(schema.properties ?? {}) : []
    const value =
      properties.length > 0 ? await askProperties(lead, schema, properties, ask) : valueOf(await ask(lead), schema)
    const checked = validate(value)
    if (checked.ok) return checked.value
    lead = `${checked.issues.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join("; ")}\n${name}: `
  }
}

async function askProperties(
  lead: string,
  schema: JsonSchema,
  properties: readonly (readonly [string, JsonSchema])[],
  ask: (question: string) => Promise<string>,
): Promise<JsonObject> {
  const value: Record<string, JsonObject[string]> = {}
  let before = lead
  for (const [key, property] of properties) {
    const optional = !schema.required?.includes(key)
    const answer = await ask(`${before}${key}${hint(property, optional)}: `)
    before = ""
    if (answer !== "" || !optional) value[key] = valueOf(answer, property) as JsonObject[string]
  }
  return value
}

function hint({ description, enum: choices, type }: JsonSchema, optional: boolean): string {
  const parts = [
    description,
    choices
      ? choices.map((choice) => String(choice)).join(" | ")
      : type === "string"
        ? undefined
        : type && String(type),
    optional ? "Enter to skip" : undefined,
  ].filter((part) => part !== undefined)
  return parts.length === 0 ? "" : ` (${parts.join("; ")})`
}

/** A text where a text is wanted; elsewhere JSON, and text again where it is none. */
function valueOf(answer: string, schema: JsonSchema): unknown {
  if (schema.type === "string" && !schema.enum) return answer
  try {
    return JSON.parse(answer)
  } catch {
    return answer
  }
}
