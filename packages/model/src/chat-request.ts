import type { JsonSchema, Msg, Schema } from "@agentscope-ts/message"

/** A tool as a model sees it. `strict` asks the provider to hold the arguments to the schema, where it can. */
export interface ToolSchema {
  readonly name: string
  readonly description?: string
  readonly parameters: JsonSchema
  readonly strict?: boolean
}

/** Settings that all providers understand; each provider adds its own. What is absent is left to the provider. */
export interface ChatParams {
  temperature?: number | undefined
  topP?: number | undefined
  /** The most tokens of the answer, reasoning included where the provider counts it. */
  maxTokens?: number | undefined
  stop?: readonly string[] | undefined
  seed?: number | undefined
  reasoning?: "off" | "low" | "medium" | "high" | { budgetTokens: number } | undefined
}

/** Whether the model may, must not or must call a tool, or which one it must call. */
export type ToolChoice = "auto" | "none" | "required" | { readonly name: string }

/** One call of a model. */
export interface ChatRequest<P extends ChatParams = ChatParams> {
  readonly messages: readonly Msg[]
  /**
   * The identity of a history that grows from call to call: what was checked and encoded before is used again. An agent gives
   * itself: its `name` tells its own words from those of other agents.
   */
  readonly conversation?: object | undefined
  readonly tools?: readonly ToolSchema[] | undefined
  readonly toolChoice?: ToolChoice | undefined
  /** The answer is to be JSON of this shape; it comes back validated as `structured`. */
  readonly schema?: Schema | undefined
  /** Over the params of the model's constructor, one by one. */
  readonly params?: P | undefined
  readonly signal?: AbortSignal | undefined
}
