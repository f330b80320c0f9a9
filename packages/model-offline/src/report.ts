import type { JsonObject } from "@agentscope-ts/message"
import type { Countable, Slots } from "./slots.ts"
import type { Done } from "./turn.ts"
import type { Verb } from "./verbs.ts"

/** A tool call that the plan wants made. */
export interface Call {
  readonly tool: string
  readonly input: JsonObject
}

/** What became of one clause of the request: what the answer is made of. */
export type Report =
  | {
      readonly kind: "called"
      readonly verb: Verb
      readonly done: Done
      readonly slots: Slots
      readonly subject?: string
      /** Only a step on the way: the answer tells of it when it failed. */
      readonly quiet?: boolean
    }
  | {
      readonly kind: "counted"
      readonly what: Countable
      readonly of: string
      readonly count: number
      readonly partial?: boolean
      /** There may be more: the list did not say how many it left out. */
      readonly atLeast?: boolean
    }
  | {
      readonly kind: "missing"
      readonly tool: string
      readonly names: readonly string[]
      readonly clause: string
      readonly verb?: Verb
    }
  | {
      readonly kind: "cannot"
      readonly clause: string
      readonly why: "no_tool" | "not_understood" | "needs_model" | "partial" | "failed"
    }
  | { readonly kind: "talk"; readonly verb: "greet" | "thanks" | "about" | "help" | "stop" }
  | { readonly kind: "skipped"; readonly clause: string; readonly why: "refused" | "limit" }
