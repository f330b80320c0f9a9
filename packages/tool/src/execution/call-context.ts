import { sha256 } from "../approval/sha256.ts"
import { type ContextValues, findContext, type ToolContext } from "../context.ts"
import type { Execution } from "./execution.ts"
import { Suspension } from "./suspension.ts"

/** Whose call it is. */
export type CallingAgent = NonNullable<ToolContext["agent"]>

/** What tools get as {@link ToolContext.idempotencyKey}: a digest, as an id may hold anything and a key stands in HTTP headers. */
export const idempotencyKeyOf = (conversation: string, toolUseId: string): string =>
  sha256(JSON.stringify([conversation, toolUseId]))

/** The {@link ToolContext} of a call. Its functions are made when read, so that tools may take them out of it. */
export class CallContext implements ToolContext {
  readonly #execution: Execution
  readonly #values: ContextValues | undefined
  readonly #conversation: string | undefined
  readonly agent?: CallingAgent

  constructor(
    execution: Execution,
    values: ContextValues | undefined,
    agent: CallingAgent | undefined,
    conversation: string | undefined,
  ) {
    this.#execution = execution
    this.#values = values
    this.#conversation = conversation
    if (agent) this.agent = agent
  }

  get toolUseId(): string {
    return this.#execution.toolUse.id
  }

  get idempotencyKey(): string {
    return idempotencyKeyOf(this.#conversation ?? this.agent?.id ?? "", this.toolUseId)
  }

  get signal(): AbortSignal {
    return this.#execution.signal
  }

  get emit(): ToolContext["emit"] {
    return (data) => this.#execution.report(data)
  }

  get get(): ToolContext["get"] {
    return (token) => findContext(this.#values, token, this.#execution.toolUse.name)
  }

  get suspend(): ToolContext["suspend"] {
    return (reason) => {
      throw new Suspension(this.#execution.toolUse.name, reason)
    }
  }
}
