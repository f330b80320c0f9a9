import { describeValue, nearestName } from "@agentscope-ts/message"
import { agentError } from "./agent-error.ts"

/** What other libraries call our options, where no spelling tells. */
const elsewhere = new Map([
  ...["maxIters", "maxSteps", "maxTurns", "maxLoops", "iterations"].map((name) => [name, "maxIterations"] as const),
  ...["instructions", "system", "prompt"].map((name) => [name, "systemPrompt"] as const),
  ...["llm", "chatModel"].map((name) => [name, "model"] as const),
])

/** `"max_iterations". Did you mean "maxIterations"?`, or the list of names where none is near. */
export function unknownName(name: string, names: readonly string[]): string {
  const known = elsewhere.get(name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()))
  const meant = known !== undefined && names.includes(known) ? known : nearestName(name, names)
  return meant ? `"${name}". Did you mean "${meant}"?` : `"${name}". There are: ${names.join(", ")}.`
}

/** Refuses what is no object, and names that `names` does not have. `where` starts the message: `ReActAgent "Friday"`. */
export function checkNames(where: string, options: unknown, names: readonly string[]): void {
  if (typeof options !== "object" || options === null) {
    throw agentError("invalid_argument", `${where}: options must be an object, not ${describeValue(options)}.`)
  }
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined && !names.includes(name)) {
      throw agentError("invalid_argument", `${where}: there is no option ${unknownName(name, names)}`)
    }
  }
}

/** Refuses a value that does not hold what it should; `undefined` always passes. */
export function checkOption(where: string, name: string, value: unknown, holds: boolean, expected: string): void {
  if (value === undefined || holds) return
  throw agentError("invalid_argument", `${where}: ${name} must be ${expected}, not ${describeValue(value)}.`)
}

/** Refuses what is no value for tools: a plain object is found neither by a key nor by a class. */
export function checkContext(where: string, context: unknown): void {
  if (context === undefined) return
  const advice = 'give values as [key.of(value), new MyClass()], with key = contextKey("name")'
  if (!Array.isArray(context)) {
    throw agentError("invalid_argument", `${where}: context must be a list, not ${describeValue(context)}: ${advice}.`)
  }
  for (const entry of context as unknown[]) {
    const isObject = typeof entry === "object" && entry !== null
    if (isObject && ("key" in entry || Object.getPrototypeOf(entry) !== Object.prototype)) continue
    throw agentError(
      "invalid_argument",
      `${where}: context holds ${describeValue(entry)}, which no tool can ask for: ${advice}.`,
    )
  }
}
