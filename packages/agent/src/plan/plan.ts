import { isoNow, type JsonValue, newId } from "@agentscope-ts/message"
import { validatorOf } from "@agentscope-ts/model"
import { agentError } from "../agent-error.ts"

/** Where a plan or a subtask stands. */
export type PlanState = "todo" | "in_progress" | "done" | "abandoned"

/** One step of a plan. `outcome` is there once it is done; times are ISO 8601 in UTC. */
export interface Subtask {
  readonly name: string
  readonly description: string
  readonly expectedOutcome: string
  readonly state: PlanState
  readonly outcome?: string
  readonly createdAt: string
  readonly finishedAt?: string
}

/** A plan: `in_progress` from when its first subtask has begun, `outcome` once it is finished. Times are ISO 8601 in UTC. */
export interface Plan {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly expectedOutcome: string
  readonly subtasks: readonly Subtask[]
  readonly state: PlanState
  readonly outcome?: string
  readonly createdAt: string
  readonly finishedAt?: string
}

/** What a subtask is made of. */
export interface SubtaskInput {
  readonly name: string
  readonly description: string
  readonly expectedOutcome: string
}

/** What a plan is made of. */
export interface PlanInput extends SubtaskInput {
  readonly subtasks: readonly SubtaskInput[]
}

/** How long texts may be, in characters: a name stands in every hint. */
const mostInName = 200
const mostInText = 10_000

/** Throws `invalid_argument` for a text that is none, empty, or too long; the message speaks to a model, too. */
export function checkText(what: string, text: unknown, most: number = mostInText): asserts text is string {
  if (typeof text !== "string" || text.trim() === "") {
    throw agentError("invalid_argument", `${what} must be a text that is not empty.`)
  }
  if (text.length <= most) return
  const length = `${text.length} characters, and at most ${most} are kept`
  throw agentError("invalid_argument", `${what} has ${length}: say it shorter, or keep the details elsewhere.`)
}

function checkParts(what: string, input: SubtaskInput): void {
  if (typeof input !== "object" || input === null) {
    throw agentError(
      "invalid_argument",
      `${what} must be an object with a name, a description and an expected outcome.`,
    )
  }
  checkText(`The name of ${what}`, input.name, mostInName)
  checkText(`The description of ${what}`, input.description)
  checkText(`The expected outcome of ${what}`, input.expectedOutcome)
}

/** A subtask that nobody has begun. Throws `invalid_argument`. */
export function newSubtask(what: string, input: SubtaskInput): Subtask {
  checkParts(what, input)
  const { name, description, expectedOutcome } = input
  return { name, description, expectedOutcome, state: "todo", createdAt: isoNow() }
}

/** A plan that nobody has begun. Throws `invalid_argument`. */
export function newPlan(input: PlanInput, maxSubtasks: number): Plan {
  checkParts("the plan", input)
  const { name, description, expectedOutcome, subtasks } = input
  if (!Array.isArray(subtasks) || subtasks.length === 0) {
    throw agentError("invalid_argument", "A plan needs at least one subtask.")
  }
  checkCount(subtasks.length, maxSubtasks)
  const made = subtasks.map((subtask, i) => newSubtask(`subtask ${i}`, subtask as SubtaskInput))
  return { id: newId(), name, description, expectedOutcome, subtasks: made, state: "todo", createdAt: isoNow() }
}

/** Throws `invalid_argument` for more subtasks than a plan may have. */
export function checkCount(count: number, most: number): void {
  if (count <= most) return
  throw agentError(
    "invalid_argument",
    `A plan has at most ${most} subtasks, and this would make ${count}: put several steps into one.`,
  )
}

const text = { type: "string" } as const
const parts = {
  name: text,
  description: text,
  expectedOutcome: text,
  state: { type: "string", enum: ["todo", "in_progress", "done", "abandoned"] },
  outcome: text,
  createdAt: text,
  finishedAt: text,
} as const
const required = ["name", "description", "expectedOutcome", "state", "createdAt"] as const
const validate = validatorOf({
  type: "object",
  properties: {
    ...parts,
    id: text,
    subtasks: { type: "array", items: { type: "object", properties: parts, required } },
  },
  required: [...required, "id", "subtasks"],
})

/** A plan out of saved state. Throws `invalid_argument`, saying what is wrong with it. */
export function savedPlan(value: JsonValue): Plan {
  const checked = validate(value)
  if (checked.ok) return checked.value as Plan
  const [issue] = checked.issues
  const where = issue?.path ?? ""
  throw agentError("invalid_argument", `It is no saved plan: ${where === "" ? "" : `${where}: `}${issue?.message}.`)
}
