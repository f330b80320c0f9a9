import type { JsonObject } from "@agentscope-ts/message"

/** A server's request for a completion: the params of `sampling/createMessage`, as it sent them. */
export interface SamplingRequest {
  readonly messages: readonly { readonly role: "user" | "assistant"; readonly content: unknown }[]
  readonly systemPrompt?: string
  readonly maxTokens?: number
  readonly temperature?: number
  readonly stopSequences?: readonly string[]
  readonly modelPreferences?: JsonObject
  readonly tools?: readonly JsonObject[]
  readonly toolChoice?: JsonObject
  readonly metadata?: JsonObject
}

/** The answer, as the protocol has it: `content` is one content block or a list of them. */
export interface SamplingResult {
  readonly model: string
  readonly role: "assistant"
  readonly content: JsonObject | readonly JsonObject[]
  readonly stopReason?: string
}

/** Answers a {@link SamplingRequest}. What it throws is told to the server as an error. */
export type SamplingHandler = (
  request: SamplingRequest,
  options: { readonly signal: AbortSignal },
) => SamplingResult | Promise<SamplingResult>
