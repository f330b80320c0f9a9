import { AgentScopeError, cutText, type Msg, textOf } from "@agentscope-ts/message"
import { CharTokenCounter, type TokenCounter } from "@agentscope-ts/model"
import { memoryError } from "../error.ts"
import { Memory } from "../memory.ts"
import { compactionCut } from "./compaction-cut.ts"
import { type ResultStore, withoutGiants } from "./giant-results.ts"
import { type KeptResult, summaryMark, summaryMessage } from "./summary.ts"
import { summarise, type SummaryTerms } from "./summarise.ts"

/** On what terms a memory is compacted. */
export interface CompactionTerms extends Omit<SummaryTerms, "partTokens">, ResultStore {
  /** Above how many tokens, `overheadTokens` included, a history is compacted. */
  readonly triggerTokens: number
  /** Default 10. */
  readonly keepRecent?: number | undefined
  /** What every request has beside the messages of the memory: system prompt, tools. */
  readonly overheadTokens: number
  readonly tokenCounter?: TokenCounter | undefined
}

/** What a compaction did. */
export interface Compacted {
  /** Stands in memory for the messages that were removed; absent where it was enough to cut results. */
  readonly summary?: Msg
  readonly removed: number
  /** How many results of tools that stay were cut, because the history was too big with them. */
  readonly cutResults: number
  /** What the memory comes to now, in tokens. */
  readonly tokens: number
}

/** Where to cut: `at` messages are summed up; `messages` is the history with shorter results where that was needed. */
interface Plan {
  readonly messages: readonly Msg[]
  readonly at: number
  readonly cutResults: number
  /** What was taken out of the part that is summed up; undefined as long as it was not looked at. */
  readonly kept: readonly KeptResult[] | undefined
}

/** How much shorter a history must become at least that cannot be brought below the trigger. */
const worthwhile = 0.7
const longestQuote = 2000
/** So many tokens fit most models; one that finds them too many is given less. */
const anyModelReads = 32_000

/**
 * Replaces the older part of a memory by a summary, when it is above the trigger. Nothing is changed unless a summary was
 * written, nor where somebody else took messages of that part away meanwhile; what was added meanwhile stays.
 *
 * @throws AgentScopeError `overhead_too_big` where no summary helps (`details.fixed`: because of the overhead alone);
 * `compaction_failed` (the cause says why) where no summary was written.
 */
export async function compactMemory(memory: Memory, terms: CompactionTerms): Promise<Compacted | undefined> {
  checkTerms(memory, terms)
  const { tokenCounter = new CharTokenCounter() } = terms
  const before = [...(await memory.get())]
  const plan = await planFor(before, { ...terms, tokenCounter })
  if (plan === undefined) return undefined
  const older = plan.messages.slice(0, plan.at)
  const summary = older.length > 0 ? await summaryOf(older, plan, terms) : undefined
  const now = await memory.get()
  const rest = remaining(before, now, plan)
  if (rest === undefined) return undefined
  const messages = summary ? [summary, ...rest] : rest
  // one that only looks like a memory has no way of its own
  if ((memory as Partial<Memory>).replace) await memory.replace(messages)
  else await Memory.prototype.replace.call(memory, messages)
  const tokens = await tokenCounter.count(messages)
  return { ...(summary && { summary }), removed: older.length, cutResults: plan.cutResults, tokens }
}

function checkTerms(memory: unknown, terms: unknown): void {
  const bad = (message: string) => memoryError("invalid_argument", `compactMemory ${message}`)
  if (typeof (memory as Partial<Memory> | null | undefined)?.get !== "function") {
    throw bad("takes a Memory first, such as an InMemoryMemory.")
  }
  const { triggerTokens, overheadTokens, models } = (terms ?? {}) as {
    readonly [name in keyof CompactionTerms]?: unknown
  }
  if (
    !(Number.isFinite(triggerTokens) && Number.isFinite(overheadTokens) && Array.isArray(models) && models.length > 0)
  ) {
    throw bad("needs terms: { triggerTokens, overheadTokens, models: [model], spill, agent }, with numbers of tokens.")
  }
}

async function summaryOf(older: readonly Msg[], { kept }: Plan, terms: CompactionTerms): Promise<Msg> {
  const mark = summaryMark(older[0])
  const said = mark ? older.slice(1) : older
  // long results are no matter for a summary: it says where they are
  const light = kept
    ? { messages: said, kept }
    : await withoutGiants(said, { longest: longestResult(terms), shown: 1000 }, terms)
  const earlier = mark && older[0] ? textOf(older[0]) : undefined
  let text: string
  try {
    text = await summarise(light.messages, earlier, {
      ...terms,
      partTokens: Math.max(terms.triggerTokens, anyModelReads),
    })
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw memoryError("compaction_failed", `The history was not summed up, and stays as it is: ${why}`, { cause })
  }
  const lastAsked = said.findLast(({ role }) => role === "user")
  return summaryMessage(
    text,
    {
      messages: (mark?.messages ?? 0) + said.length,
      kept: [...(mark?.kept ?? []), ...light.kept.map(({ tool, characters, where }) => ({ tool, characters, where }))],
    },
    lastAsked && cutText(textOf(lastAsked), longestQuote),
  )
}

async function planFor(
  messages: readonly Msg[],
  terms: CompactionTerms & { readonly tokenCounter: TokenCounter },
): Promise<Plan | undefined> {
  const { triggerTokens, keepRecent, overheadTokens, tokenCounter } = terms
  const total = (await tokenCounter.count(messages)) + overheadTokens
  if (total <= triggerTokens) return undefined
  const room = Math.min(2000, Math.floor(triggerTokens / 10))
  const overhead = overheadTokens + room
  if (overhead > triggerTokens) throw fixedTooBig(triggerTokens, overheadTokens, room)
  const cutOf = async (history: readonly Msg[], limit: number): Promise<number> => {
    const limits = { keepRecent, overheadTokens: overhead, tokenCounter }
    const cut = await compactionCut(history, { ...limits, triggerTokens: limit })
    const at = cut?.at ?? 0
    // a summary of nothing but the last summary gains nothing
    return at === 1 && summaryMark(history[0]) ? 0 : at
  }
  let failure: AgentScopeError
  try {
    const at = await cutOf(messages, triggerTokens)
    if (at > 0) return { messages, at, cutResults: 0, kept: undefined }
    failure = nothingLeft(triggerTokens)
  } catch (error) {
    if (!AgentScopeError.is(error, "overhead_too_big")) throw error
    failure = error
  }
  // what has to stay is too big: the results in it are made shorter first
  const longest = longestResult(terms)
  const light = await withoutGiants(messages, { longest, shown: longest }, terms)
  const plan = (at: number): Plan => ({
    messages: light.messages,
    at,
    cutResults: light.cut,
    kept: light.kept.filter((result) => result.at < at),
  })
  const shorter = light.cut > 0 ? (await tokenCounter.count(light.messages)) + overheadTokens : total
  if (shorter <= triggerTokens) return plan(0)
  for (const limit of [triggerTokens, Math.floor(total * worthwhile)]) {
    if (limit < triggerTokens || limit >= shorter || overhead > limit) continue
    try {
      const at = await cutOf(light.messages, limit)
      if (at > 0) return plan(at)
    } catch (error) {
      if (!AgentScopeError.is(error, "overhead_too_big")) throw error
    }
  }
  if (light.cut > 0 && shorter <= total * worthwhile) return plan(0)
  throw failure
}

/** From how many characters on a result is too long to stand in a summary's material: a tenth of the trigger. */
const longestResult = ({ triggerTokens }: CompactionTerms) =>
  Math.min(20_000, Math.max(1000, Math.floor(triggerTokens * 0.4)))

/** The messages that stay, as they are now; undefined when the part that was summed up is no longer what it was. */
function remaining(before: readonly Msg[], now: readonly Msg[], { messages, at }: Plan): readonly Msg[] | undefined {
  const changed = new Map<Msg, Msg>()
  for (const [i, msg] of before.entries()) if (messages[i] && messages[i] !== msg) changed.set(msg, messages[i])
  if (before.slice(0, at).some((msg, i) => now[i]?.id !== msg.id)) return undefined
  return now.slice(at).map((msg) => changed.get(msg) ?? msg)
}

function fixedTooBig(triggerTokens: number, overheadTokens: number, room: number): AgentScopeError {
  return memoryError(
    "overhead_too_big",
    `No compaction can help: each request has ${overheadTokens} tokens of system prompt, tools and hints, a summary takes up to ${room}, and triggerTokens is ${triggerTokens}. Raise triggerTokens, or shorten the system prompt or the tools.`,
    { details: { triggerTokens, overheadTokens, fixed: true } },
  )
}

const nothingLeft = (triggerTokens: number): AgentScopeError =>
  memoryError(
    "overhead_too_big",
    `The history cannot be cut below ${triggerTokens} tokens: before the messages that have to stay there is only a summary. Raise triggerTokens, or shorten the newest messages.`,
    { details: { triggerTokens } },
  )
