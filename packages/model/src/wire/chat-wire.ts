import { AgentScopeError, type Msg } from "@agentscope-ts/message"
import { modelError } from "../errors/model-error.ts"
import type { Formatter } from "../formatter.ts"
import { ConversationBodies } from "./body-pool.ts"
import { parseJson } from "./malformed.ts"
import type { Transport } from "./exchange.ts"
import { postBody, TextCollector, type TextReader } from "./post.ts"
import { renderBody } from "./render-body.ts"
import type { Target } from "./target.ts"
import { transportOf } from "./transport.ts"

/** One request of a {@link ChatWire}. */
export interface ChatPost {
  readonly target: Target
  readonly formatter: Formatter
  readonly request: {
    readonly messages: readonly Msg[]
    readonly conversation?: object | undefined
    readonly signal?: AbortSignal | undefined
  }
  /** See {@link renderBody}. */
  readonly head: string
  readonly tail?: string | undefined
  /** Reads the answer; `salvage` makes what it can of one that broke off. */
  readonly answer: TextReader & { salvage(): void }
}

/** What of a model's options says how its requests go out. */
export interface ChatWireOptions {
  readonly fetch?: typeof globalThis.fetch | undefined
  readonly timeoutMs?: number | undefined
  /** Takes the place of the usual transport. */
  readonly transport?: Transport | undefined
  /** The largest body that the provider takes, in bytes: a larger one is the error `context_overflow` before it is sent. */
  readonly maxBytes?: number | undefined
}

/** Sends a model's requests. It keeps the bodies of conversations, so that each message is formatted once. */
export class ChatWire {
  readonly #options: ChatWireOptions
  readonly #bodies = new ConversationBodies()

  constructor({ fetch, timeoutMs, transport, maxBytes }: ChatWireOptions) {
    this.#options = { fetch, timeoutMs, transport, maxBytes }
  }

  async post({ target, formatter, request, head, tail, answer }: ChatPost): Promise<void> {
    const { fetch, timeoutMs, transport, maxBytes = Number.POSITIVE_INFINITY } = this.#options
    const messages = formatter.turns?.(request.messages) ?? request.messages
    const body = this.#bodies.take(request.conversation)
    try {
      const rendered = renderBody(body, head, formatter, messages, tail, { signal: request.signal, fetch })
      const bytes = rendered instanceof Promise ? await rendered : rendered
      if (bytes.length > maxBytes) throw tooLarge(target, bytes.length, maxBytes)
      await postBody(transport ?? transportOf(fetch), target, bytes, answer, { signal: request.signal, timeoutMs })
    } catch (error) {
      if (AgentScopeError.is(error, "network") || AgentScopeError.is(error, "timeout")) answer.salvage()
      throw error
    } finally {
      this.#bodies.release(body)
    }
  }

  /** Posts a body that is answered with one JSON value (a count of tokens, say), beside the conversation. */
  async ask({ request, ...rest }: Omit<ChatPost, "answer">): Promise<unknown> {
    const answer = new ValueReader()
    await this.post({ ...rest, request: { ...request, conversation: undefined }, answer })
    return parseJson(answer.text, `The answer of ${rest.target.label}`)
  }
}

/** Collects an answer that is one JSON value. */
class ValueReader extends TextCollector {
  /** Half a value is none. */
  salvage(): void {}
}

function tooLarge(target: Target, bytes: number, maxBytes: number): Error {
  const mega = (count: number): string => (count / 1024 / 1024).toFixed(1)
  const message = `The request to ${target.label} has ${mega(bytes)} MB and may have ${mega(maxBytes)}: send fewer or smaller files, or name them by URL.`
  return modelError({ code: "context_overflow", message })
}
