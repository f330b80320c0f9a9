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
  checkHints(config)
  const { execute } = config as { execute?: unknown }
  if (execute !== undefined && typeof execute !== "function")
    throw toolError("invalid_tool", `${subject} has an execute that is no function but ${typeof execute}.`)
}

const kinds = {
  strict: "boolean",
  concurrencySafe: "boolean",
  needsApproval: "boolean or function",
  edits: "boolean or function",
  rules: "object",
} as const

/** Throws `invalid_tool` for what a tool says of itself that cannot be. */
export function checkHints(tool: object): void {
  const hints = tool as Readonly<Record<string, unknown>>
  const { name, effects, timeoutMs, maxRetries, rules } = hints
  const fail = (option: string, least: string): never => {
    const value = hints[option]
    const said = typeof value === "number" ? String(value) : (JSON.stringify(value) ?? typeof value)
    throw toolError("invalid_tool", `The tool "${String(name)}" has ${option} ${said}: ${least}.`)
  }
  for (const [option, kind] of Object.entries(kinds)) {
    const value = hints[option]
    if (value === undefined || (value !== null && kind.includes(typeof value))) continue
    fail(option, `give a ${kind}`)
  }
  const language = rules as { readonly match?: unknown; readonly suggest?: unknown } | undefined
  if (language && !(typeof language.match === "function" && typeof language.suggest === "function"))
    fail("rules", "give { match, suggest }, both functions")
  if (effects !== undefined && !["none", "idempotent", "once"].includes(effects as string))
    fail("effects", 'say "none", "idempotent" or "once"')
  if (timeoutMs !== undefined && !(typeof timeoutMs === "number" && timeoutMs > 0))
    fail("timeoutMs", "give milliseconds above 0")
  if (maxRetries !== undefined && !(Number.isInteger(maxRetries) && (maxRetries as number) >= 0))
    fail("maxRetries", "give a whole number, 0 or more")
  if (Number(maxRetries ?? 0) > 0 && (effects ?? "once") === "once")
    throw toolError(
      "invalid_tool",
      `The tool "${String(name)}" has maxRetries, but a repeated call would change things twice: say effects "none" or "idempotent" if it does not.`,
    )
}
