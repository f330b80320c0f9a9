import type { Msg } from "@agentscope-ts/message"
import type { ChatResponse } from "@agentscope-ts/model"
import { repairedCall } from "@agentscope-ts/tool"
import type { Run } from "../base/agent-run.ts"
import { refusalIn } from "./refused.ts"

/** What was said, with the words of a refusal that the provider keeps apart: a listener hears them as any other. */
export function contentOf(run: Run, msgId: string, { content: said, refusal }: ChatResponse): Msg["content"] {
  const broken = said.some((block) => block.type === "tool_use" && block.rawInput !== undefined)
  // what runs is what the history says
  const content = broken ? said.map((block) => (block.type === "tool_use" ? repairedCall(block) : block)) : said
  const text = refusalIn(content, refusal)
  if (text === undefined) return content
  const index = content.length
  const block = { type: "text", text } as const
  run.emit({ type: "text_delta", index, text, msgId })
  run.emit({ type: "block_end", index, block, msgId })
  return [...content, block]
}
