import { AgentScopeError } from "@agentscope-ts/message"
import { type AnyTool, tool, type ToolResponse, toolResponse } from "@agentscope-ts/tool"
import type { Plan, SubtaskInput } from "./plan.ts"
import type { PlanNotebook } from "./plan-notebook.ts"
import { subtaskAt } from "./plan-rules.ts"
import { historyText, planText, subtaskText } from "./plan-text.ts"

const text = (description: string) => ({ type: "string", description }) as const
const index = { type: "integer", description: "The index of the subtask in the plan; the first is 0." } as const
const subtask = {
  type: "object",
  description: "A step of the plan.",
  properties: {
    name: text("What the step is called: a few words."),
    description: text("What there is to do, with its limits and what it needs."),
    expected_outcome: text("What is there when it is done, so that anyone can check it."),
  },
  required: ["name", "description", "expected_outcome"],
} as const
const none = { type: "object", properties: {} } as const

interface ToldSubtask {
  readonly name: string
  readonly description: string
  readonly expected_outcome: string
}
const inputOf = ({ name, description, expected_outcome }: ToldSubtask): SubtaskInput => ({
  name,
  description,
  expectedOutcome: expected_outcome,
})

/** What breaks a rule is a text for the model, which can do better; anything else is an error of ours. */
function told(run: () => string): ToolResponse {
  try {
    return toolResponse(run())
  } catch (error) {
    if (AgentScopeError.is(error, "invalid_argument")) return toolResponse(error.message, { state: "error" })
    throw error
  }
}

// A plan is a part of the conversation, as its messages are: nothing outside changes, and a call that was lost with the
// process may run again. So the tools have no effects; but their order counts.
const viewing = { effects: "none" } as const
const changing = { effects: "none", concurrencySafe: false } as const

/**
 * The tools by which a model works with a notebook, under the names of the Python framework. `current` gives the current plan, or
 * throws `invalid_argument`.
 */
export function planTools(notebook: PlanNotebook, current: () => Plan): readonly AnyTool[] {
  const now = (): string => `\n\n${planText(current())}`
  return [
    tool({
      name: "view_subtasks",
      description: "Shows subtasks of the current plan in full: description, expected outcome, state, outcome.",
      input: {
        type: "object",
        properties: {
          subtask_idx: {
            type: "array",
            items: { type: "integer" },
            description: "The indexes of the subtasks to show, from 0; all when it is empty or absent.",
          },
        },
      },
      ...viewing,
      execute: ({ subtask_idx = [] }) =>
        told(() => {
          const plan = current()
          const wanted = subtask_idx.length > 0 ? subtask_idx : plan.subtasks.keys()
          return [...wanted].map((at) => subtaskText(subtaskAt(plan, at), at)).join("\n\n")
        }),
    }),
    tool({
      name: "update_subtask_state",
      description:
        "Moves a subtask of the current plan to todo, in_progress or abandoned. One subtask is in progress at a time, and all before it have to be done or abandoned. A subtask becomes done by finish_subtask alone.",
      input: {
        type: "object",
        properties: { subtask_idx: index, state: { type: "string", enum: ["todo", "in_progress", "abandoned"] } },
        required: ["subtask_idx", "state"],
      },
      ...changing,
      execute: ({ subtask_idx, state }) =>
        told(() => {
          notebook.updateSubtaskState(subtask_idx, state)
          return `Subtask ${subtask_idx} is ${state} now.${now()}`
        }),
    }),
    tool({
      name: "finish_subtask",
      description:
        "Marks a subtask of the current plan as done, with what came out of it, and begins the next one. All before it have to be done or abandoned.",
      input: {
        type: "object",
        properties: {
          subtask_idx: index,
          subtask_outcome: text("What came out of it, in terms of the expected outcome: results, not effort."),
        },
        required: ["subtask_idx", "subtask_outcome"],
      },
      ...changing,
      execute: ({ subtask_idx, subtask_outcome }) =>
        told(() => {
          notebook.finishSubtask(subtask_idx, subtask_outcome)
          return `Subtask ${subtask_idx} is done.${now()}`
        }),
    }),
    tool({
      name: "create_plan",
      description:
        "Writes a plan for a task of several steps and makes it the current one. A plan that is current already goes into the history as abandoned.",
      input: {
        type: "object",
        properties: {
          name: text("What the plan is called: a few words."),
          description: text("The task, with its limits and what was agreed."),
          expected_outcome: text("What is there when the plan is done."),
          subtasks: { type: "array", items: subtask, description: "The steps, in the order in which they are done." },
        },
        required: ["name", "description", "expected_outcome", "subtasks"],
      },
      ...changing,
      execute: (input) =>
        told(() => {
          const before = notebook.currentPlan
          notebook.createPlan({ ...inputOf(input), subtasks: input.subtasks.map(inputOf) })
          const instead = before ? `; it takes the place of "${before.name}" (plan id ${before.id})` : ""
          return `The plan was created${instead}.${now()}`
        }),
    }),
    tool({
      name: "revise_current_plan",
      description:
        "Changes the list of subtasks of the current plan: adds one at an index (the number of subtasks puts it at the end), writes one anew, or deletes one.",
      input: {
        type: "object",
        properties: {
          subtask_idx: index,
          action: { type: "string", enum: ["add", "revise", "delete"] },
          subtask: { ...subtask, description: "The subtask to add, or that takes the place of the old one." },
        },
        required: ["subtask_idx", "action"],
      },
      ...changing,
      execute: ({ subtask_idx, action, subtask: given }) =>
        told(() => {
          notebook.reviseCurrentPlan(subtask_idx, action, given && inputOf(given))
          return `The plan was revised.${now()}`
        }),
    }),
    tool({
      name: "finish_plan",
      description:
        "Ends the current plan, as done or as abandoned, and puts it into the history. Call it when the goal is reached, cannot be reached, or is not wanted any more.",
      input: {
        type: "object",
        properties: {
          state: { type: "string", enum: ["done", "abandoned"] },
          outcome: text("The overall result, or why the plan was abandoned."),
        },
        required: ["state", "outcome"],
      },
      ...changing,
      execute: ({ state, outcome }) =>
        told(() => {
          const { name, id } = notebook.finishPlan(state, outcome)
          return `The plan "${name}" (plan id ${id}) is ${state} now. There is no current plan any more.`
        }),
    }),
    tool({
      name: "view_historical_plans",
      description: "Lists the plans that were finished, abandoned or replaced, newest first, with their ids.",
      input: none,
      ...viewing,
      execute: () => {
        const texts = notebook.history.toReversed().map(historyText)
        return texts.length > 0 ? texts.join("\n\n") : "There are no former plans."
      },
    }),
    tool({
      name: "recover_historical_plan",
      description:
        "Makes a plan of the history the current one again, as it was left. A plan that is current already goes into the history as abandoned.",
      input: {
        type: "object",
        properties: { plan_id: text("The id of the plan, as view_historical_plans shows it.") },
        required: ["plan_id"],
      },
      ...changing,
      execute: ({ plan_id }) =>
        told(() => {
          notebook.recoverHistoricalPlan(plan_id)
          return `The plan was recovered.${now()}`
        }),
    }),
  ]
}
