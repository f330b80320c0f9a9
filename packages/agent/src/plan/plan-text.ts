import { cutText } from "@agentscope-ts/message"
import type { Plan, Subtask } from "./plan.ts"

const boxes = { todo: "[ ]", in_progress: "[>]", done: "[x]", abandoned: "[-]" } as const

/** A line for each subtask: its index, state and name. */
export const subtaskLines = ({ subtasks }: Plan): string =>
  subtasks.map(({ name, state }, i) => `${i}. ${boxes[state]} ${name} (${state})`).join("\n")

/** All that there is to know of a subtask. */
export function subtaskText(subtask: Subtask, index: number): string {
  const { name, state, description, expectedOutcome, outcome, createdAt, finishedAt } = subtask
  return [
    `Subtask ${index}: ${name}`,
    `State: ${state}`,
    `Description: ${description}`,
    `Expected outcome: ${expectedOutcome}`,
    ...(outcome === undefined ? [] : [`Outcome: ${outcome}`]),
    `Created: ${createdAt}`,
    ...(finishedAt === undefined ? [] : [`Finished: ${finishedAt}`]),
  ].join("\n")
}

/** What a plan is for, and a line for each subtask. */
export const planText = (plan: Plan): string =>
  [
    `Plan: ${plan.name}`,
    `Description: ${cutText(plan.description, 1000)}`,
    `Expected outcome: ${cutText(plan.expectedOutcome, 1000)}`,
    "Subtasks:",
    subtaskLines(plan),
  ].join("\n")

/** What a list of former plans says of one. */
export function historyText({ id, name, state, description, outcome, createdAt, finishedAt, subtasks }: Plan): string {
  const done = subtasks.filter((subtask) => subtask.state === "done").length
  return [
    `Plan id ${id}: ${name}`,
    `State: ${state}, ${done} of ${subtasks.length} subtasks done`,
    `Description: ${cutText(description, 300)}`,
    `Outcome: ${cutText(outcome ?? "", 300)}`,
    `Created: ${createdAt}, finished: ${finishedAt ?? "never"}`,
  ].join("\n")
}
