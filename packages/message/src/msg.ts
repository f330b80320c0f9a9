import { isoNow, newId } from "./ambient.ts"
import type { BlockType, ContentBlock, MediaBlock, TextBlock, ToolResultBlock } from "./blocks.ts"
import { AgentScopeError, type MessageErrorCode } from "./error.ts"
import type { JsonObject } from "./json.ts"
import type { PendingCall } from "./pending.ts"
import type { ChatUsage } from "./usage.ts"

/** Who speaks. `tool` messages hold tool results and nothing else. */
export type Role = "user" | "assistant" | "system" | "tool"

/** How a reply ended. `approval_required` wins over `tool_suspended`; `error` occurs only on a partial message in memory. */
export type FinishReason =
  | "completed"
  | "interrupted"
  | "max_iterations"
  | "repetition"
  | "tool_suspended"
  | "approval_required"
  | "budget_exceeded"
  | "error"

/** One message: readonly plain data that survives JSON. `timestamp` is ISO 8601 in UTC. */
export interface Msg<T = unknown> {
  readonly id: string
  readonly name: string
  readonly role: Role
  readonly content: readonly ContentBlock[]
  readonly timestamp: string
  readonly metadata?: JsonObject
  readonly structured?: T
  readonly finishReason?: FinishReason
  readonly usage?: ChatUsage
}

interface ReplyBase<T> extends Msg<T> {
  readonly usage: ChatUsage
  readonly pending: readonly PendingCall[]
}
/** What an agent answers. `structured` is there, validated, exactly when a schema was given and the reply completed. */
export type Reply<T = undefined> =
  | (ReplyBase<T> & { readonly finishReason: "completed"; readonly structured: T })
  | (ReplyBase<T> & { readonly finishReason: Exclude<FinishReason, "completed" | "error"> })

/** Options of the message factories. */
export interface MsgOptions {
  name?: string | undefined
  metadata?: JsonObject | undefined
}
/** What a person can say: text and media. */
export type UserContent = string | readonly (TextBlock | MediaBlock)[]

/** The blocks that a message of each role can hold. */
export const allowed: Readonly<Record<Role, readonly BlockType[]>> = {
  user: ["text", "image", "audio", "video", "file"],
  system: ["text"],
  assistant: ["text", "thinking", "image", "audio", "video", "file", "tool_use"],
  tool: ["tool_result"],
}

function make(role: Role, name: string, content: readonly ContentBlock[], metadata: JsonObject | undefined): Msg {
  const id = newId()
  const timestamp = isoNow()
  return metadata === undefined
    ? { id, name, role, content, timestamp }
    : { id, name, role, content, timestamp, metadata }
}

const blocks = (content: string | readonly ContentBlock[]): readonly ContentBlock[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : content

const textOrBlocks = 'a text, or a list of blocks such as { type: "text", text }'

/** The content of a factory; throws `invalid_argument` for what is neither text nor a list of blocks. */
function given(factory: string, content: string | readonly ContentBlock[], instead: string): readonly ContentBlock[] {
  if (typeof content === "string") return blocks(content)
  const isBlock = (block: unknown) => typeof (block as Partial<ContentBlock> | null | undefined)?.type === "string"
  // findIndex: holes of a list are no blocks either
  if (Array.isArray(content) && content.findIndex((block) => !isBlock(block)) === -1) return content
  const what = Array.isArray(content)
    ? "a list of other things"
    : content === null
      ? "null"
      : `a value of type ${typeof content}`
  throw new AgentScopeError<MessageErrorCode>({
    code: "invalid_argument",
    message: `${factory}: the content is ${what}. Give ${instead}.`,
  })
}

/** A message of a person. The name is `user` unless given. Throws `invalid_argument` for content that is none. */
export function userMsg(content: UserContent, options?: MsgOptions): Msg {
  return make("user", options?.name ?? "user", given("userMsg", content, textOrBlocks), options?.metadata)
}

/** A message of an agent. The name is `assistant` unless given. Throws `invalid_argument` for content that is none. */
export function assistantMsg(
  content: string | readonly Exclude<ContentBlock, ToolResultBlock>[],
  options?: MsgOptions,
): Msg {
  return make(
    "assistant",
    options?.name ?? "assistant",
    given("assistantMsg", content, textOrBlocks),
    options?.metadata,
  )
}

/** An instruction to the model. The name is `system` unless given. Throws `invalid_argument` for what is no text. */
export function systemMsg(content: string, options?: MsgOptions): Msg {
  return make("system", options?.name ?? "system", given("systemMsg", content, textOrBlocks), options?.metadata)
}

/**
 * The results of one round of tool calls, in call order. The name is `tool` unless given. Throws `invalid_argument` for what
 * is no list of results.
 */
export function toolResultMsg(results: readonly ToolResultBlock[], options?: MsgOptions): Msg {
  return make(
    "tool",
    options?.name ?? "tool",
    given("toolResultMsg", results, "a list of what toolResult makes"),
    options?.metadata,
  )
}

/**
 * A message from all its parts; id and timestamp are made when absent.
 * @throws AgentScopeError `invalid_message` for an unknown role, content that is no string or list, or a block that the
 * role cannot hold (user: text and media; system: text; assistant: all but tool results; tool: tool results).
 */
export function createMsg(
  init: { name: string; role: Role; content: string | readonly ContentBlock[] } & Partial<Omit<Msg, "content">>,
): Msg {
  if (!Object.hasOwn(allowed, init.role)) {
    throw invalid(`createMsg: role ${JSON.stringify(init.role)} is not one of ${Object.keys(allowed).join(", ")}.`)
  }
  const types = allowed[init.role]
  if (typeof init.content !== "string" && !Array.isArray(init.content)) {
    throw invalid("createMsg: content must be a string or a list of content blocks.")
  }
  const content = blocks(init.content)
  for (const [index, block] of content.entries()) {
    if (!types.includes(block?.type)) {
      throw invalid(
        `createMsg: content[${index}] of type ${JSON.stringify(block?.type)} cannot stand in a ${init.role} message, which takes ${types.join(", ")}.`,
      )
    }
  }
  return { ...init, id: init.id ?? newId(), content, timestamp: init.timestamp ?? isoNow() }
}

const invalid = (message: string) => new AgentScopeError({ code: "invalid_message", message })
