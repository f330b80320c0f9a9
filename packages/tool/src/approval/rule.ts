import type { JsonObject } from "@agentscope-ts/message"
import type { ToolContext } from "../context.ts"
import { type AnyTool, definitionOf } from "../define/definition.ts"
import { toolError } from "../error.ts"
import { globTest, matchArguments, patternOf } from "./argument-pattern.ts"
import type { ApprovalRule } from "./policy.ts"
import { bound, isRemembered } from "./remembered-rule.ts"

/** A call as the rules see it. */
export interface JudgedCall {
  /** The name under which the tool is registered. */
  readonly name: string
  readonly tool: AnyTool
  /** The arguments that the model sent, without those that presets fill. */
  readonly sent: JsonObject
  /** The input with presets, before the schema's defaults and transforms. */
  readonly raw: JsonObject
  /** The input as `execute` will get it. */
  readonly value: unknown
  readonly context: ToolContext
}

/** A rule of a policy, ready to be asked. */
export interface CompiledRule {
  /** How messages name the rule. */
  readonly text: string
  /** What stands in the brackets of `name(pattern)`. */
  readonly pattern?: string | undefined
  /** Whether the rule speaks of this tool, whatever the input. */
  concerns(name: string, tool: AnyTool, allows: boolean): boolean
  /** Whether the rule covers this input of a tool that it speaks of. `allows`: whether it lets the call run. */
  covers(call: JudgedCall, allows: boolean): boolean | Promise<boolean>
}

// names as servers give them, `files.read`; what else a name may hold stands behind a backslash
const syntax = /^\s*((?:[\p{L}\p{M}\p{N}_*./-]|\\.)+)(?:\((.*)\))?\s*$/su
const special = /[^\p{L}\p{M}\p{N}_./-]/gu

/** A tool's name in a rule: it speaks of this one alone, also where a server named it like a rule (`refund(order=*)`, `*`). */
const nameInRule = (name: string): string => name.replaceAll(special, String.raw`\$&`)

/**
 * Makes a rule ready; throws `invalid_rule` when it cannot be read.
 *
 * Rules that refuse or ask are read broadly, rules that allow narrowly: a tool that was renamed at registration is still
 * refused under its own name, and allowed only under the one it is registered with.
 */
export function compileRule(rule: ApprovalRule): CompiledRule {
  if (typeof rule === "string") return compileText(rule)
  if (typeof rule !== "object" || rule === null) throw unreadable(String(rule))
  if (isRemembered(rule)) return bound(compileText(rule.rule), rule)
  if ("test" in rule) {
    const { tool, test, of } = rule
    return { text: `when(${tool}, …)`, concerns: named(tool, of), covers: ({ raw, context }) => test(raw, context) }
  }
  if (typeof rule.name !== "string") throw unreadable(JSON.stringify(rule))
  return { text: rule.name, concerns: named(rule.name, rule), covers: () => true }
}

function named(wanted: string, subject: AnyTool | undefined): CompiledRule["concerns"] {
  return (name, tool, allows) => name === wanted || tool === subject || (!allows && tool.name === wanted)
}

function compileText(text: string): CompiledRule {
  const [, wanted, pattern] = syntax.exec(text) ?? []
  if (wanted === undefined) throw unreadable(text)
  const fits = globTest(wanted)
  return {
    text,
    pattern,
    concerns: (name, tool, allows) => fits(name) || (!allows && fits(tool.name)),
    covers: (call, allows) => pattern === undefined || coversInput(pattern, call, allows),
  }
}

function coversInput(pattern: string, { tool, sent, value }: JudgedCall, allows: boolean): boolean {
  const rules = definitionOf(tool)?.rules
  return rules ? rules.match(pattern, value, allows) : matchArguments(pattern, sent, allows)
}

/**
 * Whether rules that allow cover a call together where none does alone, such as a command line of several commands: asked of
 * the tool's own language.
 */
export function coverTogether(rules: readonly CompiledRule[], { name, tool, value }: JudgedCall): boolean {
  const language = definitionOf(tool)?.rules
  if (language?.covers === undefined) return false
  const patterns = rules.flatMap((rule) =>
    rule.pattern !== undefined && rule.concerns(name, tool, true) ? [rule.pattern] : [],
  )
  return patterns.length > 1 && language.covers(patterns, value)
}

/** The rules that would allow calls like this one from now on; none when the tool fails to suggest any. */
export function suggestRules({ name, tool, sent, value }: JudgedCall): readonly string[] {
  const rules = definitionOf(tool)?.rules
  if (rules === undefined) {
    const pattern = patternOf(sent)
    return pattern === undefined ? [] : [`${nameInRule(name)}(${pattern})`]
  }
  try {
    return rules.suggest(value).map((pattern) => `${nameInRule(name)}(${pattern})`)
  } catch {
    return []
  }
}

function unreadable(text: string): Error {
  const message = `The approval rule "${text}" cannot be read. Write "name", "name*" or "name(pattern)" (\\ before what is no letter, digit or _ - . / in a name), a tool, or when(tool, test).`
  return toolError("invalid_rule", message)
}
