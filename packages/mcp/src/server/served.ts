import type { JsonObject } from "@agentscope-ts/message"
import type { ApprovalPolicy, ContextValues, Toolkit } from "@agentscope-ts/tool"
import type { ResourceBook } from "./resource-book.ts"
import type { ServedPrompt } from "./served-prompt.ts"

/** The prompts of a server. */
export interface PromptBook {
  readonly byName: ReadonlyMap<string, ServedPrompt>
  readonly listed: readonly JsonObject[]
}

/** What a server offers, as its sessions see it. */
export interface Served {
  readonly toolkit: Toolkit
  /** Absent where the server has none. */
  readonly prompts: PromptBook | undefined
  readonly resources: ResourceBook | undefined
  readonly approval: ApprovalPolicy | undefined
  readonly context: ContextValues
  readonly pageSize: number
  /** The answer to `initialize`, but for the version. `lasting`: whether the client can be notified. */
  greeting(lasting: boolean): JsonObject
}
