import {
  cutText,
  cutTextStart,
  type Msg,
  textOf,
  type ToolResultBlock,
  type ToolUseBlock,
  toolUsesOf,
} from "@agentscope-ts/message"
import type { Spill, SpilledCall } from "@agentscope-ts/tool"
import type { KeptResult } from "./summary.ts"

/** Where results that are too long go; `undefined`: nowhere. */
export interface ResultStore {
  readonly spill: Spill | undefined
  readonly agent: SpilledCall["agent"]
}

const longestNote = 500

/** Messages in which no result of a tool is giant, and what was taken out of them. */
export interface Lightened {
  readonly messages: readonly Msg[]
  /** How many results were cut. */
  readonly cut: number
  /** With the index of the message that it stood in. */
  readonly kept: readonly (KeptResult & { readonly at: number })[]
}

/**
 * Cuts each result whose text has more than `longest` characters to its beginning and its end, `shown` characters in all; the
 * whole goes into the store, and the text says where it is. Messages without such a result stay the same objects.
 */
export async function withoutGiants(
  messages: readonly Msg[],
  { longest, shown }: { readonly longest: number; readonly shown: number },
  store: ResultStore,
): Promise<Lightened> {
  const kept: (KeptResult & { readonly at: number })[] = []
  let cut = 0
  // with the note it has to be no giant itself
  const most = Math.max(shown - longestNote, 200)
  const lighten = async (block: ToolResultBlock, at: number): Promise<ToolResultBlock> => {
    const text = textOf(block, "")
    if (text.length <= longest) return block
    cut++
    const where = await keep(text, callOf(messages, block), store)
    if (where !== undefined) kept.push({ at, tool: block.name, characters: text.length, where })
    const head = cutText(text, Math.floor((most * 2) / 3))
    const tail = cutTextStart(text, Math.floor(most / 3))
    const left = text.length - head.length - tail.length
    const rest = where === undefined ? "They are not kept." : `All of it is kept: ${where}`
    const note = `[${left} of the ${text.length} characters of this result are left out here to save space. ${rest}]`
    const media = block.output.filter(({ type }) => type !== "text")
    return { ...block, output: [{ type: "text", text: `${head}\n${note}\n${tail}` }, ...media] }
  }
  const out: Msg[] = []
  for (const [at, msg] of messages.entries()) {
    if (!msg.content.some((block) => isGiant(block, longest))) {
      out.push(msg)
      continue
    }
    const content = []
    for (const block of msg.content) content.push(block.type === "tool_result" ? await lighten(block, at) : block)
    out.push({ ...msg, content })
  }
  return { messages: out, cut, kept }
}

const isGiant = (block: Msg["content"][number], longest: number): boolean =>
  block.type === "tool_result" && textOf(block, "").length > longest

async function keep(text: string, toolUse: ToolUseBlock, { spill, agent }: ResultStore): Promise<string | undefined> {
  try {
    return await spill?.(text, { toolUse, ...(agent && { agent }) })
  } catch {
    // a full disk, or a runtime without files: the result says that the rest is gone
    return undefined
  }
}

function callOf(messages: readonly Msg[], { id, name }: ToolResultBlock): ToolUseBlock {
  const call = messages.flatMap((msg) => toolUsesOf(msg)).find((use) => use.id === id)
  return call ?? { type: "tool_use", id, name, input: {} }
}
