import { AgentScopeError, type Msg } from "@agentscope-ts/message"
import type { Formatter } from "../formatter.ts"
import { ConversationBodies } from "./body-pool.ts"
import type { Transport } from "./exchange.ts"
import { postBody, type TextReader } from "./post.ts"
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
}

/** Sends a model's requests. It keeps the bodies of conversations, so that each message is formatted once. */
export class ChatWire {
  readonly #options: ChatWireOptions
  readonly #bodies = new ConversationBodies()

  constructor({ fetch, timeoutMs, transport }: ChatWireOptions) {
    this.#options = { fetch, timeoutMs, transport }
  }

  async post({ target, formatter, request, head, tail, answer }: ChatPost): Promise<void> {
    const { fetch, timeoutMs, transport } = this.#options
    const body = this.#bodies.take(request.conversation)
    try {
      const rendered = renderBody(body, head, formatter, request.messages, tail)
      const bytes = rendered instanceof Promise ? await rendered : rendered
      await postBody(transport ?? transportOf(fetch), target, bytes, answer, { signal: request.signal, timeoutMs })
    } catch (error) {
      if (AgentScopeError.is(error, "network") || AgentScopeError.is(error, "timeout")) answer.salvage()
      throw error
    } finally {
      this.#bodies.release(body)
    }
  }
}
