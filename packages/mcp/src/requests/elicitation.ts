import type { JsonObject, JsonValue } from "@agentscope-ts/message"
import { validatorOf } from "@agentscope-ts/model"
import { mcpError } from "../error.ts"
import type { ElicitationAnswer, McpOptions } from "../mcp-options.ts"
import { asObject, asString } from "../sdk/session.ts"

const actions = ["accept", "decline", "cancel"]

/** The answer to `elicitation/create`, or undefined where nobody is there to ask in this way. */
export function answerElicitation(
  params: JsonObject,
  { name, onElicitation, onUrlElicitation }: McpOptions,
  signal: AbortSignal,
): Promise<JsonObject> | undefined {
  const message = asString(params["message"]) ?? ""
  if (params["mode"] === "url") {
    if (onUrlElicitation === undefined) return undefined
    const url = asString(params["url"]) ?? ""
    if (!URL.canParse(url)) {
      throw mcpError("invalid_input", `"${url}" is no address of a page.`)
    }
    const elicitationId = asString(params["elicitationId"]) ?? ""
    return checked(name, onUrlElicitation({ message, url, elicitationId, signal }))
  }
  if (onElicitation === undefined) return undefined
  const schema = asObject(params["requestedSchema"])
  return checked(name, onElicitation({ message, schema, signal }), schema)
}

/** An answer in the protocol's form; of a form, filled up with its defaults and held to its schema. */
async function checked(
  server: string,
  answering: ElicitationAnswer | Promise<ElicitationAnswer>,
  schema?: JsonObject,
): Promise<JsonObject> {
  const answer = await answering
  const { action } = answer
  if (!actions.includes(action)) {
    const message = `The elicitation handler of the MCP client "${server}" answered with the action ${JSON.stringify(action)}: use accept, decline or cancel.`
    throw mcpError("invalid_argument", message)
  }
  if (action !== "accept" || schema === undefined) return { action }
  const content = withDefaults(schema, answer.content ?? {})
  const validation = validatorOf(schema)(content)
  if (!validation.ok) {
    const issues = validation.issues.map(({ path, message }) => `${path}: ${message}`).join("; ")
    throw mcpError("invalid_input", `The answer does not fit the form: ${issues}`)
  }
  return { action, content }
}

/** The content with the defaults of the fields that it leaves out (SEP-1034). */
export function withDefaults(schema: JsonObject, content: JsonObject): JsonObject {
  const filled: Record<string, JsonValue> = { ...content }
  for (const [field, property] of Object.entries(asObject(schema["properties"]))) {
    const { default: value } = asObject(property)
    if (value !== undefined && filled[field] === undefined) filled[field] = value
  }
  return filled
}
