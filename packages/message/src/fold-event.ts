import { isoNow } from "./ambient.ts"
import type { ContentBlock, ToolResultBlock } from "./blocks.ts"
import type { AgentEvent, AgentEventOf, EventBase } from "./events.ts"
import type { Msg, Role } from "./msg.ts"

type Delta = AgentEventOf<"text_delta" | "thinking_delta" | "tool_use_start" | "tool_use_delta" | "block_end">

/**
 * What a client behind SSE shows: the messages so far, with one event applied. Deltas grow a message that carries
 * `metadata.partial: true` (a tool call in the making has its arguments so far in `rawInput`), and results of running tools
 * a partial `tool` message; the `message` event puts the finished one in its place. Finished messages stand in the order
 * of their events, partial ones after them; after a whole run the list is exactly what the `message` events carried.
 *
 * The list given is never changed, and given back where an event changes nothing. A delta costs one shallow copy of
 * the list and of its own message, and an append to a string, however long the text has grown.
 */
export function foldEvent(messages: readonly Msg[], event: AgentEvent): readonly Msg[] {
  switch (event.type) {
    case "text_delta":
    case "thinking_delta":
    case "tool_use_start":
    case "tool_use_delta":
    case "block_end":
      return foldDelta(messages, event)
    case "tool_result_delta":
      return foldResult(messages, event, (before) => ({ ...before, output: [...before.output, event.block] }))
    case "tool_result":
      return foldResult(messages, event, () => event.result)
    case "message":
      return foldMessage(messages, event)
    case "retry":
      // what was said of the answer is void; the calls that run are not of it
      return withoutPartials(messages, event, "assistant")
    case "reply_end":
    case "error":
      return withoutPartials(messages, event)
    // The other events tell what happens beside the messages: compaction shortens what the model sees, not what was said;
    // progress, pending calls and warnings have their own places on a screen.
    default:
      return messages
  }
}

/** Replaces the message at `at`, or appends where that is -1. */
function put(messages: readonly Msg[], at: number, msg: Msg): readonly Msg[] {
  const next = messages.slice()
  if (at < 0) next.push(msg)
  else next[at] = msg
  return next
}

/** From the end, where the message in the making is. */
const find = (messages: readonly Msg[], id: string) => messages.findLastIndex((msg) => msg.id === id)

function partial(id: string, role: Role, { replyId, agent }: EventBase): Msg {
  const name = role === "tool" ? "tool" : agent
  return { id, name, role, content: [], timestamp: isoNow(), metadata: { partial: true, replyId } }
}

const isPartial = (msg: Msg) => msg.metadata?.["partial"] === true

function foldDelta(messages: readonly Msg[], event: Delta & EventBase): readonly Msg[] {
  const at = find(messages, event.msgId)
  const msg = messages[at] ?? partial(event.msgId, "assistant", event)
  // a delta that comes again after its message was finished
  if (!isPartial(msg)) return messages
  const content = msg.content.slice()
  // of a stream that was joined late, the first blocks are not known
  while (content.length < event.index) content.push({ type: "text", text: "" })
  content[event.index] = grown(content[event.index], event)
  return put(messages, at, { ...msg, content })
}

function grown(block: ContentBlock | undefined, event: Delta): ContentBlock {
  switch (event.type) {
    case "text_delta":
      return { type: "text", text: block?.type === "text" ? block.text + event.text : event.text }
    case "thinking_delta":
      return { type: "thinking", thinking: block?.type === "thinking" ? block.thinking + event.text : event.text }
    case "tool_use_start":
      return { type: "tool_use", id: event.id, name: event.name, input: {} }
    case "tool_use_delta": {
      const call = block?.type === "tool_use" ? block : { type: "tool_use" as const, id: event.id, name: "", input: {} }
      return { ...call, rawInput: (call.rawInput ?? "") + event.json }
    }
    case "block_end":
      return event.block
  }
}

const resultsId = (replyId: string) => `${replyId}:results`

function foldResult(
  messages: readonly Msg[],
  event: AgentEventOf<"tool_result_delta" | "tool_result">,
  change: (before: ToolResultBlock) => ToolResultBlock,
): readonly Msg[] {
  const { id, name } = event.toolUse
  const at = find(messages, resultsId(event.replyId))
  // the round's message is there already: a result that comes again
  const last = at < 0 ? messages.findLast(({ role }) => role === "tool") : undefined
  if (last !== undefined && !isPartial(last) && holds(last, [id])) return messages
  const msg = messages[at] ?? partial(resultsId(event.replyId), "tool", event)
  const index = msg.content.findIndex((block) => block.type === "tool_result" && block.id === id)
  const waiting: ToolResultBlock = { type: "tool_result", id, name, output: [], state: "suspended" }
  const content = msg.content.slice()
  if (index < 0) content.push(change(waiting))
  else content[index] = change(content[index] as ToolResultBlock)
  return put(messages, at, { ...msg, content })
}

const holds = (msg: Msg, ids: readonly string[]) =>
  msg.content.some((block) => block.type === "tool_result" && ids.includes(block.id))

/** Finished messages stand in the order of their events, and what is in the making after them. */
function foldMessage(messages: readonly Msg[], { msg, replyId }: AgentEventOf<"message">): readonly Msg[] {
  const same = find(messages, msg.id)
  if (same >= 0 && !isPartial(messages[same] as Msg)) return put(messages, same, msg)
  const next = messages.slice()
  const partialAt = same >= 0 || msg.role !== "tool" ? same : findResults(messages, replyId, msg)
  if (partialAt >= 0) next.splice(partialAt, 1)
  next.splice(next.findLastIndex((other) => !isPartial(other)) + 1, 0, msg)
  return next
}

function findResults(messages: readonly Msg[], replyId: string, msg: Msg): number {
  const at = find(messages, resultsId(replyId))
  const ids = msg.content.flatMap((block) => (block.type === "tool_result" ? [block.id] : []))
  const results = messages[at]
  return results !== undefined && holds(results, ids) ? at : -1
}

/** What never became a message is gone with its reply: the answer of an attempt that was given up, for example. */
function withoutPartials(messages: readonly Msg[], { replyId }: EventBase, only?: Role): readonly Msg[] {
  const gone = (msg: Msg) =>
    isPartial(msg) && msg.metadata?.["replyId"] === replyId && (only === undefined || msg.role === only)
  const left = messages.filter((msg) => !gone(msg))
  return left.length === messages.length ? messages : left
}
