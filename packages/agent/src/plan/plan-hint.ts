import { type Msg, userMsg } from "@agentscope-ts/message"
import type { Plan } from "./plan.ts"
import { planText, subtaskText } from "./plan-text.ts"

const none = `There is no plan at the moment. When what the user wants takes several steps, write a plan with create_plan before you begin, and work along it. For anything that one or two calls can do, no plan is needed: just do it.`

const start = `A plan has been made, and nothing of it has been begun.
- When the user still has to agree to it, or has asked for changes, settle that first; change it with revise_current_plan.
- Otherwise begin: set subtask 0 to in_progress with update_subtask_state, and work on it.
- When the user does not want it any more, end it with finish_plan as abandoned.`

const inProgress = (index: number): string => `You are working on subtask ${index} of this plan.
- Go on with it. When its expected outcome is reached, call finish_subtask with what came out of it; the next one is then begun for you.
- When it cannot or need not be done, set it to abandoned with update_subtask_state, and begin another.
- When the plan no longer fits what you have found, change it with revise_current_plan; when the user wants something else, answer that first.`

const idle = (next: number): string => `A part of this plan is behind you, and no subtask is in progress.
- Go on with subtask ${next}: set it to in_progress with update_subtask_state.
- When the plan no longer fits, change it with revise_current_plan, or end it with finish_plan.`

const end = `Every subtask of this plan is done or abandoned.
- When the goal is reached, call finish_plan with the state done and the overall outcome, and tell the user the result.
- When something is missing, add a subtask with revise_current_plan; when the goal cannot be reached, finish the plan as abandoned and say why.`

/** What a model is told beside the conversation, by the state of the plan. */
function hintText(plan: Plan | undefined): string {
  if (plan === undefined) return none
  const { subtasks } = plan
  const current = subtasks.findIndex(({ state }) => state === "in_progress")
  const next = subtasks.findIndex(({ state }) => state === "todo")
  const text = planText(plan)
  const subtask = subtasks[current]
  if (subtask) return `${text}\n\n${subtaskText(subtask, current)}\n\n${inProgress(current)}`
  if (next === -1) return `${text}\n\n${end}`
  return `${text}\n\n${subtasks.every(({ state }) => state === "todo") ? start : idle(next)}`
}

/** The hint for a plan, as a message for one request. What stands in a plan cannot end the hint. */
export const planHint = (plan: Plan | undefined): Msg =>
  userMsg(`<system-hint>${hintText(plan).replaceAll(/<(?=\/?\s*system-hint)/gi, "&lt;")}</system-hint>`)
