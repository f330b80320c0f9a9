import type { ChatUsage } from "@agentscope-ts/message"
import type { ChatRequest } from "../chat-request.ts"

/** How a request ended. */
export interface RequestEnd {
  readonly usage: ChatUsage | undefined
  readonly error: unknown
}

/** Something that every request of a call passes, retries and repeated questions included. */
export interface Gate {
  /** Waits until the request may be made, or rejects; what it gives is called when the request has ended. */
  enter(request: ChatRequest): Promise<(end: RequestEnd) => void>
}
