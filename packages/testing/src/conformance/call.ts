import { type ImageBlock, type Msg, userMsg } from "@agentscope-ts/message"
import { type ChatModel, type ChatRequest, type ChatResponse, withRetry } from "@agentscope-ts/model"
import type { Cassette } from "../cassette.ts"
import { isStream } from "./find-cassettes.ts"
import type { ModelConformanceSuite } from "./model-suite.ts"

/** What a call came to: its answer, or what there was of it and why it failed. */
export interface Outcome {
  readonly response: ChatResponse
  readonly error?: unknown
  /** How many requests it took; 1 unless the model asked again. */
  readonly requests?: number
}

/** One pixel. */
export const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
export const pixelBlock: ImageBlock = {
  type: "image",
  source: { type: "base64", mediaType: "image/png", data: pixel },
}

/** The request that a cassette answers. */
export function requestFor(cassette: Cassette, suite: Pick<ModelConformanceSuite, "request">): ChatRequest {
  const image = cassette.categories?.includes("vision") ? [pixelBlock] : []
  const messages: Msg[] = [userMsg([{ type: "text", text: "hello" }, ...image])]
  return { messages, ...suite.request?.(cassette) }
}

/** Makes the kind of call that was recorded, once. */
export async function callOnce(model: ChatModel, cassette: Cassette, request: ChatRequest): Promise<Outcome> {
  const once = withRetry(model, { maxRetries: 0 })
  if (isStream(cassette)) return streamed(once, request)
  try {
    return { response: await once.generate(request) }
  } catch (error) {
    // the failed call leaves nothing: a stream that never began stands for it
    return { response: once.stream(request).partial(), error }
  }
}

/** A streamed call to its end, good or bad. */
export async function streamed(model: ChatModel, request: ChatRequest): Promise<Outcome> {
  const stream = model.stream(request)
  try {
    return { response: await stream.response }
  } catch (error) {
    return { response: stream.partial(), error }
  }
}
