import { type AnyTool, definitionOf } from "../define/definition.ts"
import { andThen } from "../and-then.ts"
import { type ApprovalPolicy, checkMode, compileRules } from "./policy.ts"
import { type CompiledRule, coverTogether, type JudgedCall } from "./rule.ts"

/** What the policy says of one call. */
export type Verdict =
  | { readonly type: "run" }
  | { readonly type: "deny"; readonly reason: string }
  | { readonly type: "ask"; readonly reason?: string }

/** A verdict at once, or by promise where a test answers by one. */
export type Judgement = Verdict | PromiseLike<Verdict>

const run: Verdict = { type: "run" }
const ask: Verdict = { type: "ask" }

/** Whether any call of this tool could be judged otherwise than "run": else {@link judge} need not be asked. */
export function needsJudging(tool: AnyTool, policy: ApprovalPolicy | undefined): boolean {
  return policy !== undefined || definitionOf(tool)?.needsApproval !== undefined
}

/** Whether a call of this tool could have to wait for a person, whatever its input. */
export function mayAsk(name: string, tool: AnyTool, policy: ApprovalPolicy | undefined): boolean {
  const mode = policy?.mode
  if (mode === "never_ask") return false
  if (compileRules(policy?.ask).some((rule) => rule.concerns(name, tool, false))) return true
  return definitionOf(tool)?.needsApproval !== undefined && mode !== "bypass"
}

type Found = CompiledRule | undefined

/** The first rule that covers the call. */
function firstRule(
  rules: readonly CompiledRule[],
  call: JudgedCall,
  allows: boolean,
  from = 0,
): Found | PromiseLike<Found> {
  for (let i = from; i < rules.length; i++) {
    const rule = rules[i] as CompiledRule
    if (!rule.concerns(call.name, call.tool, allows)) continue
    const covered = rule.covers(call, allows)
    if (covered === true) return rule
    if (covered === false) continue
    return andThen<boolean, Found>(covered, (yes) => (yes ? rule : firstRule(rules, call, allows, i + 1)))
  }
  return undefined
}

/** What no approval can lift: a deny rule, and the effects that `read_only` refuses. */
function judgeDenial(call: JudgedCall, policy: ApprovalPolicy): Judgement {
  return andThen(firstRule(compileRules(policy.deny), call, false), (rule): Verdict => {
    if (rule) return { type: "deny", reason: `the rule "${rule.text}" forbids it` }
    if (policy.mode === "read_only" && (call.tool.effects !== "none" || call.tool.untrusted)) {
      const who = call.tool.untrusted ? ", and whoever offers this one is not trusted to say so" : ""
      return { type: "deny", reason: `the mode read_only lets only tools without effects run${who}` }
    }
    return run
  })
}

function judgeAskRules(call: JudgedCall, policy: ApprovalPolicy): Judgement {
  return andThen(firstRule(compileRules(policy.ask), call, false), (rule): Verdict => {
    if (rule === undefined) return run
    const reason = `the rule "${rule.text}" asks`
    if (policy.mode !== "never_ask") return { type: "ask", reason }
    return { type: "deny", reason: `${reason}, and the mode never_ask asks nobody` }
  })
}

/** What the tool's author says, settled by the mode, unless an allow rule covers the call. */
function judgeOwn(call: JudgedCall, { allow, mode }: ApprovalPolicy): Judgement {
  const { needsApproval, edits } = definitionOf(call.tool) ?? {}
  if (needsApproval === undefined || mode === "bypass") return run
  const allows = compileRules(allow)
  return andThen(firstRule(allows, call, true), (rule): Judgement => {
    if (rule || coverTogether(allows, call)) return run
    const needed = typeof needsApproval === "function" ? needsApproval(call.value, call.context) : needsApproval
    return andThen(needed, (yes): Verdict => {
      if (!yes) return run
      if (mode === "never_ask")
        return { type: "deny", reason: "it needs an approval, and the mode never_ask asks nobody" }
      if (mode === "accept_edits" && (typeof edits === "function" ? edits(call.value) : edits)) return run
      return ask
    })
  })
}

/**
 * Judges a call by the policy and the tool's `needsApproval`: at once unless a test answers by promise. With `approved` (a
 * person said yes to this very call) only what forbids still counts. What a test throws is thrown, and `invalid_rule`.
 */
export function judge(call: JudgedCall, policy: ApprovalPolicy = {}, approved = false): Judgement {
  checkMode(policy)
  return andThen(judgeDenial(call, policy), (denial) => {
    if (denial.type === "deny" || approved) return denial
    return andThen(judgeAskRules(call, policy), (asked) => (asked.type === "run" ? judgeOwn(call, policy) : asked))
  })
}
