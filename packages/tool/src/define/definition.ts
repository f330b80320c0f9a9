import type { JsonObject, JsonSchema, Schema } from "@agentscope-ts/message"
import type { ToolSchema, Validate } from "@agentscope-ts/model"
import type { ToolContext } from "../context.ts"

/**
 * What a call may change: nothing (`none`, read-only), something that a second call does not change again (`idempotent`), or
 * something each time (`once`, as long as nothing is said).
 */
export type Effects = "none" | "idempotent" | "once"

/** What a tool says of itself to whoever runs it. */
export interface ToolHints {
  /** Asks providers that can for arguments that follow the schema to the letter. */
  readonly strict?: boolean
  readonly effects?: Effects
  /** Whether it may run beside other calls of the same round; true unless said. */
  readonly concurrencySafe?: boolean
  /** How long a call may take, in milliseconds; the toolkit's limit unless said. */
  readonly timeoutMs?: number
  /** How often a call that threw is repeated; as the toolkit says unless said, and never where effects are `"once"`. */
  readonly maxRetries?: number
  /**
   * Stands for everything the tool says of itself (name, description, schema, annotations), where that comes from somebody
   * else, such as an MCP server: an approval no longer counts once it has changed.
   */
  readonly fingerprint?: string
  /**
   * What it says of its effects is the word of somebody who is not trusted: it counts for repeating and for running calls side
   * by side, and never in an approval.
   */
  readonly untrusted?: boolean
  /** The JSON Schema of its value, where it was not made by `tool()`, which has `output` for that. See `outputSchemaOf`. */
  readonly outputSchema?: JsonSchema
}

/** Something a model can call. Made by {@link tool}; any object of this shape is taken too. */
export interface Tool<In = JsonObject, Out = unknown> extends ToolHints {
  readonly name: string
  readonly description: string
  /** What the model is told: name, description and the JSON Schema of the input. */
  readonly schema: ToolSchema
  /** Run by someone else: a call suspends until its result is given. */
  readonly external: boolean
  /**
   * Runs the tool from code, to compose tools: the input is validated, generators are run to their end, and the tool's own
   * value comes back. Errors throw: `invalid_input`, `external_tool`, `tool_suspended`, or what the tool threw. No approval
   * is asked and no time limit set: both belong to the call that composes; pass its `ctx` on.
   */
  run(input: In, ctx?: ToolContext): Promise<Out>
}

/** A tool of any input and output. */
export type AnyTool = Pick<Tool, "name" | "description" | "schema" | "external"> & ToolHints
/** What a tool's caller writes: its input before defaults and transforms. */
export type InputOf<T> = T extends { run(input: infer In, ctx?: ToolContext): Promise<unknown> } ? In : JsonObject
/** A tool's own value. */
export type ResultOf<T> = T extends { run(...args: never[]): Promise<infer Out> } ? Out : unknown

/** A tool's own pattern language for rules such as `"name(pattern)"`. */
export interface RuleLanguage<In> {
  /**
   * Whether the pattern covers the input. `allows`: a match lets the call run, so that all of the input has to be covered (each
   * command of a line); without it a match denies or asks, and one part is enough. What it throws keeps the call from running.
   */
  match(pattern: string, input: In, allows: boolean): boolean
  /** Whether patterns that allow cover all of the input together; without it, one of them has to. */
  covers?(patterns: readonly string[], input: In): boolean
  /** Patterns (not whole rules) that would cover inputs like this one, for a person who says "always". */
  suggest(input: In): readonly string[]
}

/** The inside of a tool, for whoever executes it. */
export interface ToolDefinition {
  readonly validate: Validate
  readonly output?: Schema | undefined
  readonly validateOutput?: Validate | undefined
  /** The {@link Tool.run} that was made with it: a copy of the tool may have another. */
  readonly run?: unknown
  readonly execute?: ((input: unknown, ctx: ToolContext) => unknown) | undefined
  readonly needsApproval?: true | ((input: unknown, ctx: ToolContext) => boolean | PromiseLike<boolean>) | undefined
  readonly edits?: boolean | ((input: unknown) => boolean) | undefined
  readonly rules?: RuleLanguage<unknown> | undefined
}

/** Where a tool keeps its {@link ToolDefinition}: shared by installed copies, and copied by `{ ...tool }`. */
export const definitionKey: unique symbol = Symbol.for("agentscope.tool") as never

/** The inside of a tool that {@link tool} made. */
export function definitionOf(tool: AnyTool): ToolDefinition | undefined {
  return (tool as { readonly [definitionKey]?: ToolDefinition })[definitionKey]
}
