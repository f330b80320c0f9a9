import type { Msg } from "@agentscope-ts/message"
import { CharTokenCounter, type TokenCounter } from "@agentscope-ts/model"
import { memoryError } from "../error.ts"

/** What {@link compactionCut} goes by. */
export interface CompactionLimits {
  /** Above how many tokens a history is cut. */
  triggerTokens: number
  /** How many of the newest messages stay, where they are not too big themselves. Default 10. */
  keepRecent?: number | undefined
  /** What every request has beside the messages: system prompt, tools, room for the summary. Default 0. */
  overheadTokens?: number | undefined
  /** Default: an estimate by characters. */
  tokenCounter?: TokenCounter | undefined
}

/** Where a history is cut: what is before `at` is summarised, the rest stays. Tokens are those of messages alone. */
export interface CompactionCut {
  readonly at: number
  readonly tokens: number
  readonly keptTokens: number
}

// what is cut to the brim is cut again with the next message
const filled = 0.75

/**
 * Where to cut a history that has grown too big: never between a call and its result, nor before a call that is still in
 * flight. Of the newest `keepRecent` messages, more stay where the cut would split a pair, and fewer where they are too big:
 * messages and overhead then fill three quarters of the trigger, or, where there is no such place, the trigger. Undefined
 * as long as the history fits. Changes nothing.
 *
 * @throws AgentScopeError `overhead_too_big` when no cut brings the history below the trigger: what has to stay is too big.
 */
export async function compactionCut(
  messages: readonly Msg[],
  { triggerTokens, keepRecent = 10, overheadTokens = 0, tokenCounter = new CharTokenCounter() }: CompactionLimits,
): Promise<CompactionCut | undefined> {
  checkLimits({ triggerTokens, keepRecent, overheadTokens })
  const tokens = await tokenCounter.count(messages)
  if (tokens + overheadTokens <= triggerTokens) return undefined
  const places = safePlaces(messages)
  const wanted = Math.max(messages.length - keepRecent, 0)
  const from = Math.max(
    places.findLastIndex((at) => at <= wanted),
    0,
  )
  const cutAt = async (place: number): Promise<CompactionCut> => {
    const at = places[place] ?? 0
    return { at, tokens, keptTokens: at === 0 ? tokens : await tokenCounter.count(messages.slice(at)) }
  }
  const fits = ({ keptTokens }: CompactionCut, part: number) => keptTokens + overheadTokens <= triggerTokens * part
  // the later the place, the less stays
  let [low, high] = [from, Math.max(places.length - 1, 0)]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (fits(await cutAt(middle), filled)) high = middle
    else low = middle + 1
  }
  const cut = await cutAt(low)
  if (fits(cut, 1)) return cut
  throw memoryError(
    "overhead_too_big",
    `The history cannot be cut below ${triggerTokens} tokens: ${cut.keptTokens} of its messages have to stay, and every request has ${overheadTokens} beside them. Raise triggerTokens, or shorten the system prompt, the tools or the newest message.`,
    { details: { triggerTokens, overheadTokens, keptTokens: cut.keptTokens } },
  )
}

/** The indexes before which a history may be cut, in order: each leaves a message on both sides. */
function safePlaces(messages: readonly Msg[]): readonly number[] {
  const ends = pairEnds(messages)
  const places: number[] = []
  let busy = 0
  for (let at = 1; at < messages.length; at++) {
    busy = Math.max(busy, ends[at - 1] ?? 0)
    if (busy < at) places.push(at)
  }
  return places
}

/** For each message the index of the last one that belongs to its calls; past the end where one is still in flight. */
function pairEnds(messages: readonly Msg[]): readonly number[] {
  const ends = messages.map((_msg, index) => index)
  const calls = new Map<string, { readonly index: number; answered: boolean }>()
  for (const [index, { content }] of messages.entries()) {
    for (const block of content) {
      if (block.type === "tool_use") calls.set(block.id, { index, answered: false })
      if (block.type !== "tool_result") continue
      const call = calls.get(block.id)
      if (call === undefined) continue
      call.answered = true
      ends[call.index] = index
    }
  }
  // an older call without a result was given up when the agent spoke again
  const lastReply = messages.findLastIndex(({ role }) => role === "assistant")
  for (const { index, answered } of calls.values()) if (!answered && index >= lastReply) ends[index] = messages.length
  return ends
}

function checkLimits(limits: Readonly<Record<"triggerTokens" | "keepRecent" | "overheadTokens", number>>): void {
  for (const [name, value] of Object.entries(limits)) {
    if (Number.isFinite(value) && value >= (name === "triggerTokens" ? 1 : 0)) continue
    throw memoryError(
      "invalid_argument",
      `${name} of a compaction is ${value}: give a number of at least ${name === "triggerTokens" ? 1 : 0}.`,
    )
  }
}
