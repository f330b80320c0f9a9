import { AgentScopeError, type Msg } from "@agentscope-ts/message"
import { modelError } from "../errors/model-error.ts"
import type { Formatter } from "../formatter.ts"
import { type AnswerParser, AnswerReader } from "./answer-reader.ts"
import type { ConversationBodies } from "./body-pool.ts"
import type { SendOptions, Transport } from "./exchange.ts"
import { postBody } from "./post.ts"
import { renderBody } from "./render-body.ts"
import type { Target } from "./target.ts"

/** One request of a conversation, and where it goes. */
export interface ConversationRequest extends SendOptions {
  readonly bodies: ConversationBodies
  readonly conversation: object | undefined
  /** All of the body up to the opening bracket of its messages. */
  readonly head: string
  readonly formatter: Formatter
  readonly messages: readonly Msg[]
  readonly transport: Transport
  readonly target: Target
  /** The largest body that the provider takes, in bytes. */
  readonly maxBytes?: number | undefined
}

/**
 * Sends a request whose messages are encoded once a conversation, and reads its answer; what came before a connection broke
 * is read as far as it goes.
 * @throws AgentScopeError `context_overflow` for a body above `maxBytes`, else what {@link postBody} throws.
 */
export async function sendConversation(request: ConversationRequest, parser: AnswerParser): Promise<void> {
  const {
    bodies,
    conversation,
    head,
    formatter,
    messages,
    transport,
    target,
    maxBytes = Number.POSITIVE_INFINITY,
  } = request
  const answer = new AnswerReader(parser)
  const body = bodies.take(conversation)
  try {
    const rendered = renderBody(body, head, formatter, messages)
    const bytes = rendered instanceof Promise ? await rendered : rendered
    if (bytes.length > maxBytes) throw tooLarge(target, bytes.length, maxBytes)
    await postBody(transport, target, bytes, answer, request)
  } catch (error) {
    if (AgentScopeError.is(error, "network") || AgentScopeError.is(error, "timeout")) answer.salvage()
    throw error
  } finally {
    bodies.release(body)
  }
}

function tooLarge(target: Target, bytes: number, maxBytes: number): Error {
  const mega = (count: number): string => (count / 1024 / 1024).toFixed(1)
  const message = `The request to ${target.label} has ${mega(bytes)} MB and may have ${mega(maxBytes)}: send fewer or smaller files, or name them by URL.`
  return modelError({ code: "context_overflow", message })
}
