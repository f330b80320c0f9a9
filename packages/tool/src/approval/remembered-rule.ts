import type { AnyTool } from "../define/definition.ts"
import { fingerprintOf } from "./fingerprint.ts"
import type { CompiledRule } from "./rule.ts"

/**
 * A rule that a person said to remember, as plain JSON: `rule` as it would stand in a policy, and the tools that it spoke of
 * then, each with the fingerprint of its definition. It allows calls of these alone, and only while they are what they were.
 * Made by `toolkit.remembered(rule)`.
 */
export interface RememberedRule {
  readonly rule: string
  readonly tools: Readonly<Record<string, string>>
}

/** Whether a value is a {@link RememberedRule}. */
export function isRemembered(value: unknown): value is RememberedRule {
  if (typeof value !== "object" || value === null || !("rule" in value) || !("tools" in value)) return false
  const { rule, tools } = value
  if (typeof rule !== "string" || typeof tools !== "object" || tools === null || Array.isArray(tools)) return false
  return Object.values(tools).every((fingerprint) => typeof fingerprint === "string")
}

/** Notes which of these tools a rule speaks of, and what they are like. */
export function rememberedRule(
  rule: CompiledRule,
  tools: readonly { readonly name: string; readonly tool: AnyTool }[],
): RememberedRule {
  const concerned = tools.filter(({ name, tool }) => rule.concerns(name, tool, true))
  return { rule: rule.text, tools: Object.fromEntries(concerned.map(({ name, tool }) => [name, fingerprintOf(tool)])) }
}

/** The rule, for the tools that it was remembered for. */
export function bound(rule: CompiledRule, { tools }: RememberedRule): CompiledRule {
  return {
    ...rule,
    concerns: (name, tool, allows) =>
      rule.concerns(name, tool, allows) &&
      (!allows || (Object.hasOwn(tools, name) && tools[name] === fingerprintOf(tool))),
  }
}
