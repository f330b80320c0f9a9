import { describeValue, nearestName } from "@agentscope-ts/message"
import { pipelineError } from "./pipeline-error.ts"

/** Refuses what is no object, and names that `names` does not have. */
export function checkNames(where: string, options: unknown, names: readonly string[]): void {
  check(where, "options", options, typeof options === "object" && options !== null, "an object")
  for (const [name, value] of Object.entries(options as object)) {
    if (value === undefined || names.includes(name)) continue
    const meant = nearestName(name, names)
    const hint = meant ? `Did you mean "${meant}"?` : `There are: ${names.join(", ")}.`
    throw pipelineError("invalid_argument", `${where}: there is no option "${name}". ${hint}`)
  }
}

/** Refuses a value that does not hold what it should. */
export function check(where: string, name: string, value: unknown, holds: boolean, expected: string): void {
  if (holds) return
  throw pipelineError("invalid_argument", `${where}: ${name} must be ${expected}, not ${describeValue(value)}.`)
}

/** Refuses what cannot take a turn. */
export function checkStep(where: string, name: string, step: unknown): void {
  const { reply, stream } = (step ?? {}) as { reply?: unknown; stream?: unknown }
  const holds = typeof reply === "function" && typeof stream === "function"
  check(where, name, step, holds, "an agent, a pipeline, or an object with reply and stream")
}

/** Refuses a list that holds anything but steps. */
export function checkSteps(where: string, steps: unknown): void {
  check(where, "agents", steps, Array.isArray(steps), "a list of agents and pipelines")
  for (const [i, step] of (steps as unknown[]).entries()) checkStep(where, `agents[${i}]`, step)
}

/** Refuses what cannot be called. */
export function checkFunction(where: string, name: string, value: unknown): void {
  check(where, name, value, typeof value === "function", "a function")
}
