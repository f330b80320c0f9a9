import type { JsonObject } from "./json.ts"

/** An error as plain data: in events, logs and answers to other processes. */
export interface ErrorJson {
  readonly code: string
  readonly message: string
  readonly retryable: boolean
}

/** What {@link AgentScopeError} is made of. `retryable` is false and `details` empty unless given. */
export interface ErrorInit<Code extends string = string> {
  code: Code
  message: string
  retryable?: boolean | undefined
  cause?: unknown
  details?: JsonObject | undefined
}

/** Codes thrown by this package. */
export type MessageErrorCode = "invalid_message" | "invalid_argument"

const brand = Symbol.for("agentscope.error")

/**
 * Every error that AgentScope throws. `code` is stable and snake_case; the message says what happened, where and what to
 * do. Recognise it with {@link AgentScopeError.is}, which also works across two installed copies of this package.
 */
export class AgentScopeError<Code extends string = string> extends Error {
  readonly code: Code
  readonly retryable: boolean
  readonly details: JsonObject

  constructor(init: ErrorInit<Code>) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause })
    this.name = "AgentScopeError"
    this.code = init.code
    this.retryable = init.retryable ?? false
    this.details = init.details ?? {}
  }

  get [brand](): true {
    return true
  }

  static is(error: unknown): error is AgentScopeError
  static is<C extends string>(error: unknown, code: C): error is AgentScopeError<C>
  static is(error: unknown, code?: string): boolean {
    if (typeof error !== "object" || error === null || !(brand in error)) return false
    return code === undefined || (error as AgentScopeError).code === code
  }

  toJSON(): ErrorJson {
    return { code: this.code, message: this.message, retryable: this.retryable }
  }
}

/** Any thrown value as plain data; what is no {@link AgentScopeError} gets the code `unexpected`. */
export function errorJson(error: unknown): ErrorJson {
  if (AgentScopeError.is(error)) return { code: error.code, message: error.message, retryable: error.retryable }
  return { code: "unexpected", message: messageOf(error), retryable: false }
}

function messageOf(error: unknown): string {
  if (typeof error === "object" && error !== null) {
    if ("message" in error && typeof error.message === "string") return error.message
    try {
      return JSON.stringify(error)
    } catch {
      return Object.prototype.toString.call(error)
    }
  }
  return String(error)
}
