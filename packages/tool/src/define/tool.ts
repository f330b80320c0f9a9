import type { InferInput, InferOutput, JsonSchema, JsonValue, Schema } from "@agentscope-ts/message"
import { checkLiteral, validatorOf } from "@agentscope-ts/model"
import type { ToolContext } from "../context.ts"
import { toolError } from "../error.ts"
import { checkOptions } from "./check-options.ts"
import { type Effects, type RuleLanguage, type Tool, type ToolDefinition, definitionKey } from "./definition.ts"
import { parametersOf } from "./parameters.ts"
import type { ToolResponse } from "./response.ts"
import { runTool } from "./run-tool.ts"

/** Yields are joined; a returned value takes their place. */
type Joined<Y> = Y extends string ? string : Y
type ValueOf<R> = R extends AsyncGenerator<infer Y, infer V> | Generator<infer Y, infer V>
  ? [V] extends [void]
    ? Joined<Y>
    : Exclude<V, void>
  : R extends ToolResponse<infer S>
    ? S
    : R
/** The value of a tool whose `execute` returns `R`. */
export type OutputOf<R> = ValueOf<Awaited<R>>

/** The options of {@link tool}, but for `output` and `execute`. */
export interface ToolConfig<S> {
  /** 1 to 64 of `A-Z a-z 0-9 _ -`: what every provider takes. */
  name: string
  /** Tells the model what the tool does and when to use it. */
  description: string
  /** The schema of the input, an object: zod 4, any Standard Schema with JSON Schema, or a JSON Schema literal. */
  input: S
  /** Asks providers that can for arguments that follow the schema to the letter. */
  strict?: boolean | undefined
  /** `"once"` unless given; `"none"` says read-only. Calls with effects `"once"` are never repeated by the toolkit. */
  effects?: Effects | undefined
  /** False keeps a call from running beside others of its round. */
  concurrencySafe?: boolean | undefined
  /** How long a call may take, in milliseconds; the toolkit's limit unless given. */
  timeoutMs?: number | undefined
  /** How often a call that threw is repeated; the toolkit's `retry` unless given. Only with effects `"none"` or `"idempotent"`. */
  maxRetries?: number | undefined
  /** Whether a person has to approve a call; what throws keeps the call from running. */
  needsApproval?: boolean | ((input: InferOutput<S>, ctx: ToolContext) => boolean | Promise<boolean>) | undefined
  /** Whether a call does no more than edit files inside the tool's root: the mode `accept_edits` lets it run unasked. */
  edits?: boolean | ((input: InferOutput<S>) => boolean) | undefined
  /** The tool's own pattern language for approval rules. */
  rules?: RuleLanguage<InferOutput<S>> | undefined
}

declare const external: unique symbol
/** Stands for "no execute" in the type of {@link tool}. */
export interface External {
  readonly [external]: true
}

/** What `execute` gets. Where something is missing, compilers know no schema: then they should complain of that, not of this. */
type InputTo<S> = Schema extends S ? never : InferOutput<S>
type Anything<R> = [R] extends [External] ? unknown : never

/** Refuses an `execute` whose value does not fit `output`; what only says that something went wrong has no value. */
type Fitting<R, O> = JsonSchema extends O
  ? unknown
  : [R] extends [External]
    ? unknown
    : [Exclude<OutputOf<R>, undefined>] extends [InferInput<O>]
      ? unknown
      : { readonly output: { readonly "does not fit the value of execute": Exclude<OutputOf<R>, undefined> } }

const namePattern = /^[a-zA-Z0-9_-]{1,64}$/

/** Throws `invalid_tool` for a name that providers refuse. */
export function checkToolName(name: unknown): asserts name is string {
  if (typeof name === "string" && namePattern.test(name)) return
  const said = typeof name === "string" ? `"${name}"` : String(name)
  throw toolError("invalid_tool", `The tool name ${said} is refused by providers: use 1 to 64 of A-Z a-z 0-9 _ -.`)
}

/** Throws `invalid_tool` for what is no name at all: models tell providers others in their place, and take them back. */
export function checkForeignName(name: unknown): asserts name is string {
  if (typeof name === "string" && name.trim() !== "" && name.length <= 256) return
  throw toolError(
    "invalid_tool",
    `A tool needs a name of 1 to 256 characters, not ${JSON.stringify(name)?.slice(0, 80)}.`,
  )
}

/**
 * Makes a tool. `execute` gets the validated input (defaults and transforms applied) and returns a value, a promise, a
 * generator (its yields are joined, or its returned value counts), `toolResponse(…)` or `ctx.suspend()`. Strings go to the
 * model as they are, other values as JSON. Without `execute` the tool is external: a call waits for a result from outside.
 * With `output`, a value that does not fit that schema is an error result; an error that is returned counts as thrown.
 *
 * Throws `invalid_tool` for a name that providers refuse, a missing description and options that do not exist, and
 * `invalid_schema` for a schema that JSON Schema cannot say or a literal with a mistake, such as a type that does not exist
 * (the message names the tool and the parameter).
 */
export function tool<const S extends Schema, R = External, const O extends Schema = JsonSchema>(
  config: ToolConfig<S> & {
    output?: O | undefined
    execute?: (input: InputTo<S>, ctx: ToolContext) => R | Anything<R>
  } & Fitting<R, O>,
): Tool<
  InferInput<S>,
  [R] extends [External]
    ? [R] extends [never]
      ? never
      : JsonSchema extends O
        ? JsonValue
        : InferOutput<O>
    : OutputOf<R>
> {
  if (typeof config !== "object" || config === null) checkOptions(config)
  const { name, description, input, output, strict, effects, concurrencySafe, timeoutMs, needsApproval } = config
  checkToolName(name)
  checkOptions(config)
  checkLiteral(input, `The input of the tool "${name}"`)
  checkLiteral(output as Schema, `The output of the tool "${name}"`)
  const parameters = parametersOf(name, input)
  const definition = {
    validate: validatorOf(input),
    output,
    validateOutput: output && validatorOf(output),
    execute: config.execute,
    needsApproval: needsApproval === false ? undefined : needsApproval,
    edits: config.edits,
    rules: config.rules,
  } as ToolDefinition
  const run = (value: unknown, ctx?: ToolContext) => runTool(name, definition, value, ctx)
  const made = {
    name,
    description,
    schema: { name, description, parameters, ...(strict !== undefined && { strict }) },
    external: config.execute === undefined,
    effects: effects ?? "once",
    concurrencySafe: concurrencySafe ?? true,
    ...(strict !== undefined && { strict }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(config.maxRetries !== undefined && { maxRetries: config.maxRetries }),
    [definitionKey]: { ...definition, run },
    run,
  }
  return made as never
}
