import { isoNow } from "@agentscope-ts/message"
import { agentError } from "../agent-error.ts"
import { checkCount, newSubtask, type Plan, type PlanState, type Subtask, type SubtaskInput } from "./plan.ts"

// Plans are values: what changes one gives another, so that whoever holds a plan can go on reading it.

/** What can be done to the list of subtasks. */
export type Revision = "add" | "revise" | "delete"

const refuse = (message: string): Error => agentError("invalid_argument", message)
const isOver = ({ state }: Subtask): boolean => state === "done" || state === "abandoned"

/** A model that quotes a number means the number. */
export function indexOf(index: number | string): number {
  const given: unknown = typeof index === "string" && /^\s*\d+\s*$/.test(index) ? Number(index) : index
  if (Number.isInteger(given)) return given as number
  throw refuse(`The index of a subtask must be a whole number, not ${JSON.stringify(index)}.`)
}

/** The subtask at an index; throws `invalid_argument`, saying which there are. */
export function subtaskAt({ subtasks }: Plan, index: number): Subtask {
  const subtask = subtasks[index]
  if (subtask) return subtask
  const there =
    subtasks.length === 1 ? "The plan has only subtask 0" : `The plan has subtasks 0 to ${subtasks.length - 1}`
  throw refuse(`There is no subtask ${index}. ${there}.`)
}

/** The plan with other subtasks; its own state follows from theirs. */
function withSubtasks(plan: Plan, subtasks: readonly Subtask[]): Plan {
  return { ...plan, subtasks, state: subtasks.every(({ state }) => state === "todo") ? "todo" : "in_progress" }
}

const put = (plan: Plan, index: number, subtask: Subtask): Plan =>
  withSubtasks(plan, plan.subtasks.with(index, subtask))

function moved({ finishedAt: _finished, outcome: _outcome, ...rest }: Subtask, state: PlanState): Subtask {
  return state === "abandoned" ? { ...rest, state, finishedAt: isoNow() } : { ...rest, state }
}

function checkEarlier({ subtasks }: Plan, index: number, what: string): void {
  const open = subtasks.slice(0, index).findIndex((subtask) => !isOver(subtask))
  if (open === -1) return
  throw refuse(
    `Subtask ${index} cannot be ${what} yet: subtask ${open} ("${subtasks[open]?.name}") comes before it and is ${subtasks[open]?.state}. Finish or abandon that one first.`,
  )
}

/** Moves a subtask to `todo`, `in_progress` or `abandoned`. Only one is in progress, and only when all before it are over. */
export function withState(plan: Plan, index: number, state: PlanState): Plan {
  const subtask = subtaskAt(plan, index)
  if (state === "done") throw refuse("A subtask is done with finish_subtask, which takes its outcome.")
  if (state !== "todo" && state !== "in_progress" && state !== "abandoned") {
    throw refuse(`There is no state ${JSON.stringify(state)}: it is todo, in_progress or abandoned.`)
  }
  if (state === "in_progress") {
    const busy = plan.subtasks.findIndex((other, i) => i !== index && other.state === "in_progress")
    if (busy !== -1) {
      throw refuse(
        `Subtask ${index} cannot be begun yet: subtask ${busy} ("${plan.subtasks[busy]?.name}") is in progress. Finish or abandon that one first.`,
      )
    }
    checkEarlier(plan, index, "begun")
  }
  return subtask.state === state ? plan : put(plan, index, moved(subtask, state))
}

/** Makes a subtask done, and the next one in progress, unless one is. */
export function withOutcome(plan: Plan, index: number, outcome: string): Plan {
  const subtask = subtaskAt(plan, index)
  if (subtask.state === "done") {
    throw refuse(`Subtask ${index} ("${subtask.name}") is done already. Set it to todo first to do it again.`)
  }
  checkEarlier(plan, index, "finished")
  const finished = put(plan, index, { ...subtask, state: "done", outcome, finishedAt: isoNow() })
  if (finished.subtasks.some(({ state }) => state === "in_progress")) return finished
  const next = finished.subtasks.findIndex((other) => !isOver(other))
  return next === -1 ? finished : put(finished, next, moved(finished.subtasks[next] as Subtask, "in_progress"))
}

/** Adds a subtask at an index (the number of subtasks: at the end), writes one anew, or takes one away. */
export function revised(
  plan: Plan,
  index: number,
  action: Revision,
  input: SubtaskInput | undefined,
  maxSubtasks: number,
): Plan {
  const { subtasks } = plan
  if (action === "delete") {
    subtaskAt(plan, index)
    if (subtasks.length === 1) {
      throw refuse("The only subtask of a plan cannot be deleted. Revise it, or end the plan with finish_plan.")
    }
    return withSubtasks(plan, subtasks.toSpliced(index, 1))
  }
  if (action !== "add" && action !== "revise") {
    throw refuse(`There is no action ${JSON.stringify(action)}: it is add, revise or delete.`)
  }
  if (input === undefined) throw refuse(`To ${action} a subtask, give the subtask.`)
  const subtask = newSubtask("the subtask", input)
  if (action === "revise") {
    // what was done was the old one; what is being done goes on
    const { state, createdAt } = subtaskAt(plan, index)
    return put(plan, index, { ...subtask, createdAt, state: state === "in_progress" ? state : "todo" })
  }
  if (index < 0 || index > subtasks.length) {
    throw refuse(
      `A subtask can be added at 0 to ${subtasks.length}, where ${subtasks.length} is the end; not at ${index}.`,
    )
  }
  checkCount(subtasks.length + 1, maxSubtasks)
  return withSubtasks(plan, subtasks.toSpliced(index, 0, subtask))
}

/** The plan as it goes into the history. */
export const ended = (plan: Plan, state: "done" | "abandoned", outcome: string): Plan => ({
  ...plan,
  state,
  outcome,
  finishedAt: isoNow(),
})

/** A plan of the history as it is gone on with. */
export function reopened({ finishedAt: _finished, outcome: _outcome, ...plan }: Plan): Plan {
  return withSubtasks(plan, plan.subtasks)
}
