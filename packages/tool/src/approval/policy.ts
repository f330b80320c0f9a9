import { didYouMean } from "@agentscope-ts/message"
import type { JsonObject } from "@agentscope-ts/message"
import type { ToolContext } from "../context.ts"
import type { AnyTool, InputOf } from "../define/definition.ts"
import { toolError } from "../error.ts"
import type { RememberedRule } from "./remembered-rule.ts"
import { type CompiledRule, compileRule } from "./rule.ts"

/**
 * `"name"`, `"name*"`, or `"name(pattern)"` in the tool's own pattern language (a tool without one: {@link matchArguments});
 * a tool; a tool under a condition, by {@link when}; or a rule that a person said to remember. Several `"name(pattern)"` that
 * allow count together where the tool's language says so: `git:*` and `npm test:*` let `git pull && npm test` run.
 */
export type ApprovalRule = string | AnyTool | Condition | RememberedRule

/** A tool under a condition, made by {@link when}. */
export interface Condition {
  readonly tool: string
  readonly test: (input: JsonObject, ctx: ToolContext) => boolean | Promise<boolean>
  /** The tool itself: it is recognised also where it was registered under another name. */
  readonly of?: AnyTool
}

/**
 * A rule for the calls of a tool whose input passes a test. The test sees what the model sent (with presets), before the
 * schema's defaults and transforms. Throws `invalid_rule` for what is no tool, or no test.
 */
export function when<T extends AnyTool>(
  tool: T,
  test: (input: InputOf<T>, ctx: ToolContext) => boolean | Promise<boolean>,
): Condition {
  const given: { readonly name?: unknown } | undefined = Object(tool)
  if (typeof tool !== "object" || typeof given?.name !== "string") {
    const rule = typeof tool === "string" ? `, or without a test the rule "${String(tool)}" alone` : ""
    throw toolError("invalid_rule", `when(tool, test) takes the tool itself, not ${typeof tool}${rule}.`)
  }
  if (typeof test !== "function") {
    throw toolError(
      "invalid_rule",
      `when(tool, test) of the tool "${tool.name}" takes a function as its test, not ${typeof test}.`,
    )
  }
  return { tool: tool.name, test: test as Condition["test"], of: tool }
}

/**
 * What may run, said by the operator. Order: `deny`, `ask`, `allow`, then the tool's own `needsApproval` (asks), else the
 * call runs. `mode` settles an ask that came from `needsApproval`: `default` asks, `accept_edits` lets edits inside the
 * tool's root run, `bypass` lets all run, `never_ask` denies. An `ask` rule asks in every mode but `never_ask`, which
 * denies. `read_only` denies every tool whose effects are not `"none"`, whatever else is said.
 */
export interface ApprovalPolicy {
  readonly deny?: readonly ApprovalRule[] | undefined
  readonly ask?: readonly ApprovalRule[] | undefined
  readonly allow?: readonly ApprovalRule[] | undefined
  readonly mode?: "default" | "accept_edits" | "read_only" | "bypass" | "never_ask" | undefined
}

interface Compiled {
  readonly of: readonly ApprovalRule[]
  readonly rules: readonly CompiledRule[]
}
const compiled = new WeakMap<readonly ApprovalRule[], Compiled>()
const none: readonly CompiledRule[] = []

/** The rules of one list, made ready once per list; throws `invalid_rule`. */
export function compileRules(rules: readonly ApprovalRule[] | undefined): readonly CompiledRule[] {
  if (rules === undefined) return none
  if (!Array.isArray(rules))
    throw toolError("invalid_rule", "The rules of an approval policy stand in a list: [rule, …].")
  if (rules.length === 0) return none
  const known = compiled.get(rules)
  // a list that was changed in place since is read again
  if (known?.of.length === rules.length && known.of.every((rule, i) => rule === rules[i])) return known.rules
  const ready = rules.map(compileRule)
  compiled.set(rules, { of: [...rules], rules: ready })
  return ready
}

const modes = ["default", "accept_edits", "read_only", "bypass", "never_ask"]

/** Throws `invalid_rule` for a mode that there is not: taken for the default, a misspelt `read_only` would let calls run. */
export function checkMode({ mode }: { readonly mode?: unknown }): void {
  if (mode === undefined || modes.includes(mode as string)) return
  const said = typeof mode === "string" ? mode : JSON.stringify(mode)
  const message = `There is no approval mode "${said}".${didYouMean(said, modes)} Modes: ${modes.join(", ")}.`
  throw toolError("invalid_rule", message)
}

/**
 * Throws `invalid_rule` when a rule of the policy cannot be read, or its mode is none: call it where a policy is first given.
 */
export function checkApprovalPolicy(policy: ApprovalPolicy): void {
  checkMode(policy)
  compileRules(policy.deny)
  compileRules(policy.ask)
  compileRules(policy.allow)
}
