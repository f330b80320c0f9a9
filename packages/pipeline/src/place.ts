import type { JsonValue, PendingCall, Resume } from "@agentscope-ts/message"
import { pipelineError } from "./pipeline-error.ts"
import type { StepOutput } from "./step.ts"

/**
 * Where a pipeline stopped because calls wait, as plain JSON: the step, branch or round that it is in, down to the agents
 * whose calls wait.
 */
export type Place =
  | { readonly waits: readonly PendingCall[] }
  | { readonly at: number | string; readonly inner: Place }
  | { readonly branches: readonly Branch[] }

/** What a branch of a fan-out has come to. */
export interface Branch {
  readonly said: StepOutput | null
  readonly place: Place | null
}

/** A stopped pipeline that goes on: where, and with which answers. */
export interface Resumption {
  readonly place: Place
  readonly answers: Resume
}

/** The calls that wait at a place, in order. */
export function waitingAt(place: Place): readonly PendingCall[] {
  if ("waits" in place) return place.waits
  if ("inner" in place) return waitingAt(place.inner)
  return place.branches.flatMap((branch) => (branch.place ? waitingAt(branch.place) : []))
}

/** The answers for the calls that wait at a place; `undefined` when there are none. */
export function answersFor(place: Place, { results = [], approvals = [] }: Resume): Resume | undefined {
  const ids = new Set(waitingAt(place).map(({ toolUse }) => toolUse.id))
  const mine = {
    results: results.filter(({ id }) => ids.has(id)),
    approvals: approvals.filter(({ toolUseId }) => ids.has(toolUseId)),
  }
  return mine.results.length + mine.approvals.length > 0 ? mine : undefined
}

/**
 * Refuses answers that cannot be told to their agents before any agent gets one. One agent alone judges its answers itself.
 * @throws AgentScopeError `unknown_pending`.
 */
export function checkAnswers(where: string, place: Place, { results = [], approvals = [] }: Resume): void {
  const agents = leavesOf(place)
  if (agents.length < 2) return
  for (const id of [...results.map((result) => result.id), ...approvals.map(({ toolUseId }) => toolUseId)]) {
    const holders = agents.filter((waits) => waits.some(({ toolUse }) => toolUse.id === id)).length
    if (holders === 1) continue
    const what = holders === 0 ? "no call" : `${holders} calls of different agents`
    const advice = holders === 0 ? "" : " Answer them by the agents' own resume."
    throw pipelineError("unknown_pending", `${where}: ${what} "${id}" ${holders > 1 ? "wait" : "waits"}.${advice}`)
  }
}

function leavesOf(place: Place): (readonly PendingCall[])[] {
  if ("waits" in place) return [place.waits]
  if ("inner" in place) return leavesOf(place.inner)
  return place.branches.flatMap((branch) => (branch.place ? leavesOf(branch.place) : []))
}

/** A saved place. @throws AgentScopeError `invalid_argument` for what is none. */
export function asPlace(value: JsonValue): Place {
  if (isPlace(value)) return value
  throw pipelineError("invalid_argument", "It must be a place where a pipeline waits, as stateDict() gives it.")
}

function isPlace(value: unknown): value is Place {
  if (typeof value !== "object" || value === null) return false
  const { waits, at, inner, branches } = value as Partial<Record<string, unknown>>
  if (waits !== undefined) return Array.isArray(waits)
  if (inner !== undefined) return (typeof at === "number" || typeof at === "string") && isPlace(inner)
  return Array.isArray(branches) && branches.every(({ place }: Branch) => place === null || isPlace(place))
}

/** The step, branch or round to go on with, of a pipeline that has such; in one that was changed meanwhile there is none. */
export function goOnAt(where: string, place: Place): { readonly at: number | string; readonly inner: Place } {
  if ("inner" in place) return place
  throw changed(where)
}

/** A pipeline that was built in another way since it stopped. */
export const changed = (where: string) =>
  pipelineError("unknown_pending", `${where}: what waits stands in a pipeline of another shape: build the same again.`)
