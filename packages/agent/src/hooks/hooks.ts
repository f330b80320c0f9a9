import {
  type AgentEvent,
  describeValue,
  type Msg,
  type Reply,
  type Resume,
  type ToolResultBlock,
  type ToolUseBlock,
} from "@agentscope-ts/message"
import type { ChatRequest } from "@agentscope-ts/model"
import type { AgentBase } from "../base/agent-base.ts"
import type { ReplyOptions } from "../base/agent-run.ts"
import { agentError } from "../agent-error.ts"
import { unknownName } from "../options.ts"

/** What goes in and what comes out at each point of an agent's life that hooks can watch and change. */
export interface HookPoints {
  /** A whole reply. `resume` is there when it answers pending calls; options are those of the call, `schema` among them. */
  Reply: {
    input: { readonly messages: readonly Msg[]; readonly options: ReplyOptions; readonly resume?: Resume | undefined }
    output: Reply<unknown>
  }
  /** Messages heard without answering. */
  Observe: { input: { readonly messages: readonly Msg[] }; output: void }
  /** One model call: the request, and the message that enters memory. */
  Reasoning: { input: ChatRequest; output: Msg }
  /** One tool call. */
  Acting: { input: { readonly toolUse: ToolUseBlock }; output: ToolResultBlock }
  /** One event on its way to the terminal; `null` from `prePrint`: it is not printed. */
  Print: { input: { readonly event: AgentEvent } | null; output: void }
}

type Point = keyof HookPoints
/** `preReply`, `postReply`, … for each of {@link HookPoints}. */
export type HookType = `pre${Point}` | `post${Point}`
type Given<P extends Point> = NonNullable<HookPoints[P]["input"]>
// `void`, not `undefined`: a hook may be a function that returns nothing, such as console.log
// oxlint-disable-next-line typescript/no-invalid-void-type
type Maybe<T> = T | void | Promise<T | void>

/**
 * A function around a point: before it, returns a new input, or nothing to leave it; after it, a new output, or nothing. It
 * gets copies, made when it looks at `input` or `output`: what it writes into them has no effect unless it returns them. What
 * it throws rejects the reply; a print hook's is a warning.
 */
export type Hook<H extends HookType, A = AgentBase> = H extends `pre${infer P extends Point}`
  ? (call: { readonly agent: A; readonly input: Given<P> }) => Maybe<HookPoints[P]["input"]>
  : H extends `post${infer P extends Point}`
    ? (call: {
        readonly agent: A
        readonly input: Given<P>
        readonly output: HookPoints[P]["output"]
      }) => Maybe<HookPoints[P]["output"]>
    : never

/** Hooks by their points: one, or several that run in order. */
export type Hooks = { readonly [H in HookType]?: Hook<H> | readonly Hook<H>[] | undefined }

/** A hook of any type, as it is called. */
export type AnyHook = (call: { agent: unknown; input: unknown; output?: unknown }) => unknown
/** A hook with what it is called in errors. */
export interface TableHook {
  readonly name: string
  readonly call: AnyHook
}
/** The hooks that run, instance's before class's, by type. */
export type HookTable = Partial<Record<HookType, readonly TableHook[]>>
/** An instance's own hooks, by type and name. */
export type NamedHooks = Partial<Record<HookType, Map<string, AnyHook>>>

const points: readonly Point[] = ["Reply", "Observe", "Reasoning", "Acting", "Print"]
const hookTypes: readonly HookType[] = points.flatMap((point): HookType[] => [`pre${point}`, `post${point}`])

/** Refuses a hook type that there is not. */
export function checkHookType(where: string, type: string): asserts type is HookType {
  if (!(hookTypes as readonly string[]).includes(type)) {
    throw agentError("invalid_argument", `${where}: there is no hook ${unknownName(type, hookTypes)}`)
  }
}

/** Refuses a hook that is no function. */
export function checkHook(where: string, type: HookType, hook: unknown): asserts hook is AnyHook {
  if (typeof hook !== "function") {
    throw agentError("invalid_argument", `${where}: the hook ${type} must be a function, not ${describeValue(hook)}.`)
  }
}

/** The hooks of a {@link Hooks} in order, checked. */
export function* listHooks(where: string, hooks: Hooks): Generator<[HookType, AnyHook]> {
  for (const [type, value] of Object.entries(hooks)) {
    checkHookType(where, type)
    if (value === undefined) continue
    for (const hook of Array.isArray(value) ? (value as unknown[]) : [value]) {
      checkHook(where, type, hook)
      yield [type, hook]
    }
  }
}

/** An instance's hooks and those of its class and the classes above it, the highest first; `undefined` if there are none. */
export function hookTable(where: string, named: NamedHooks | undefined, constructor: object): HookTable | undefined {
  let table: Partial<Record<HookType, TableHook[]>> | undefined
  const add = (type: HookType, name: string, call: AnyHook) => {
    table ??= {}
    const list = (table[type] ??= [])
    list.push({ name, call })
  }
  if (named) for (const type of hookTypes) for (const [name, hook] of named[type] ?? []) add(type, `"${name}"`, hook)
  const classes: { readonly of: string; readonly hooks: Hooks }[] = []
  for (let at: object | null = constructor; at !== null && at !== Function.prototype; at = Object.getPrototypeOf(at)) {
    const { name, hooks } = at as { name?: string; hooks?: Hooks }
    if (hooks && Object.hasOwn(at, "hooks")) classes.unshift({ of: `of the class ${name}`, hooks })
  }
  const inherited = new Map<HookType, Set<AnyHook>>()
  for (const { of, hooks } of classes) {
    const own: [HookType, AnyHook][] = []
    for (const [type, hook] of listHooks(where, hooks)) {
      // `{ ...super.hooks, … }` names those of the class above once more
      if (inherited.get(type)?.has(hook)) continue
      own.push([type, hook])
      add(type, of, hook)
    }
    for (const [type, hook] of own) inherited.set(type, (inherited.get(type) ?? new Set()).add(hook))
  }
  return table
}
