import { nearestName } from "@agentscope-ts/message"
import { toolError } from "../error.ts"

const options =
  "name description input output execute strict effects concurrencySafe timeoutMs maxRetries needsApproval edits rules".split(
    " ",
  )
/** What other libraries call our options. */
const elsewhere = new Map([
  ...["handler", "run", "call", "func", "fn", "function", "callback", "invoke"].map(
    (name) => [name, "execute"] as const,
  ),
  ...["parameters", "inputSchema", "input_schema", "schema", "args", "params"].map((name) => [name, "input"] as const),
  ["outputSchema", "output"] as const,
  ["timeout", "timeoutMs"] as const,
])

/** Throws `invalid_tool` for options that do not exist: a misspelt `execute` would make an external tool in silence. */
export function checkOptions(config: object): void {
  if (typeof config !== "object" || config === null) {
    throw toolError("invalid_tool", "tool() takes one object: { name, description, input, execute }.")
  }
  const { name, description, input } = config as { name?: unknown; description?: unknown; input?: unknown }
  const subject = `The tool "${String(name)}"`
  for (const [key, value] of Object.entries(config)) {
    if (value === undefined || options.includes(key)) continue
    const meant = elsewhere.get(key) ?? nearestName(key, options)
    const hint = meant === undefined ? `They are ${options.join(", ")}.` : `Did you mean "${meant}"?`
    throw toolError("invalid_tool", `${subject} has the option "${key}": there is none of that name. ${hint}`)
  }
  if (typeof description !== "string" || description.trim() === "")
    throw toolError(
      "invalid_tool",
      `${subject} has no description: say in a sentence what it does and when to use it, for the model to know.`,
    )
  if (input === undefined)
    throw toolError(
      "invalid_schema",
      `${subject} has no input: give a schema, z.object({}) for a tool without parameters.`,
    )
  const { effects } = config as { effects?: unknown }
  if (effects !== undefined && !["none", "idempotent", "once"].includes(effects as string))
    throw toolError(
      "invalid_tool",
      `${subject} has effects ${JSON.stringify(effects)}: say "none", "idempotent" or "once".`,
    )
  const { maxRetries } = config as { maxRetries?: unknown }
  if (maxRetries !== undefined && !(Number.isInteger(maxRetries) && (maxRetries as number) >= 0))
    throw toolError(
      "invalid_tool",
      `${subject} has maxRetries ${JSON.stringify(maxRetries)}: give a whole number, 0 or more.`,
    )
  if (Number(maxRetries ?? 0) > 0 && (effects ?? "once") === "once")
    throw toolError(
      "invalid_tool",
      `${subject} has maxRetries, but a repeated call would change things twice: say effects "none" or "idempotent" if it does not.`,
    )
  const { execute } = config as { execute?: unknown }
  if (execute !== undefined && typeof execute !== "function")
    throw toolError("invalid_tool", `${subject} has an execute that is no function but ${typeof execute}.`)
}
