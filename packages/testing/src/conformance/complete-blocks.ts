import type { ChatContent, ChatModel, ChatRequest, ChatResponse } from "@agentscope-ts/model"
import { isDeepStrictEqual } from "node:util"
import { memoryFetch } from "./answer-from-memory.ts"
import { must } from "./expectation.ts"
import { failureOfCall } from "./within.ts"

/** What an answer has come to when a part of its bytes has come: blocks that are closed, and how far all blocks are. */
export interface SoFar {
  readonly closed: ReadonlyMap<number, ChatContent>
  readonly content: readonly ChatContent[]
}

/** Reads the head of a stream and waits, as on a connection that is silent. */
export async function readSoFar(
  create: (fetch: typeof globalThis.fetch) => ChatModel,
  request: ChatRequest,
  head: Uint8Array,
): Promise<SoFar> {
  const controller = new AbortController()
  const closed = new Map<number, ChatContent>()
  let content: readonly ChatContent[] = []
  const onDrained = (): void => {
    content = stream.partial().content
    controller.abort()
  }
  const { fetch } = memoryFetch({ pieces: head.length > 0 ? [head] : [], onDrained })
  const stream = create(fetch).stream({ ...request, signal: controller.signal })
  await failureOfCall(
    stream.drive({
      onDelta: (delta) => {
        if (delta.type === "block_end") closed.set(delta.index, delta.block as ChatContent)
      },
    }),
  )
  return { closed, content }
}

/** What had come is in the answer: closed blocks as they were, texts as the beginning of what they became. */
export function mustKeep({ content }: ChatResponse, before: SoFar, body: string): void {
  for (const [index, block] of before.closed) {
    const same = isDeepStrictEqual(comparable(content[index], body), comparable(block, body))
    must(
      same,
      `block ${index} was complete before the damage: ${JSON.stringify(block)}; it became ${JSON.stringify(content[index])}`,
    )
  }
  for (const [index, block] of before.content.entries()) {
    const now = content[index]
    const kept =
      block.type === "text"
        ? now?.type === "text" && now.text.startsWith(block.text)
        : block.type !== "thinking" || (now?.type === "thinking" && now.thinking.startsWith(block.thinking))
    must(kept, `block ${index} had been ${JSON.stringify(block)} before the damage; it became ${JSON.stringify(now)}`)
  }
}

/** The block, without an id that was made up: each reading makes up another. */
export function comparable(block: ChatContent | undefined, body: string): unknown {
  if (block?.type !== "tool_use" || body.includes(block.id)) return block
  const { id: _, ...rest } = block
  return rest
}
