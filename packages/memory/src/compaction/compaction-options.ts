import { didYouMean } from "@agentscope-ts/message"
import type { ChatModel, TokenCounter } from "@agentscope-ts/model"
import type { Spill } from "@agentscope-ts/tool"
import { memoryError } from "../error.ts"

/** When and how an agent's history is compacted: its older part is replaced by a summary. */
export interface CompactionOptions {
  /**
   * Above how many tokens of a whole request (system prompt, tools and messages) the history is compacted. Default, where the
   * model's context window is known: four fifths of it, or what its longest answer leaves free if that is less, but at least
   * half.
   */
  triggerTokens?: number | undefined
  /** How many of the newest messages stay as they are, where they are not too big themselves. Default 10. */
  keepRecent?: number | undefined
  /** Writes the summaries, with its own formatter. Default: the agent's model, which is also asked where this one fails. */
  model?: ChatModel | undefined
  /** What the summarising model is told, in the place of the default. The fields of the summary stay the same. */
  prompt?: string | undefined
  /** Default: an estimate by characters, corrected by what the provider reports. */
  tokenCounter?: TokenCounter | undefined
  /**
   * Keeps results of tools that are too long for a summary, which then says where they are. Default: `fileSpill()`, files in the
   * system's folder for temporary ones, 256 MB of a process at most. `false`: what is cut is lost.
   */
  spill?: Spill | false | undefined
}

const names = ["triggerTokens", "keepRecent", "model", "prompt", "tokenCounter", "spill"]

/** @throws AgentScopeError `invalid_argument` for options that cannot be. */
export function checkCompaction(where: string, options: CompactionOptions): void {
  const bad = (message: string) => memoryError("invalid_argument", `${where}: compaction ${message}`)
  const given: unknown = options
  if (typeof given !== "object" || given === null || Array.isArray(given)) throw bad("must be an object of options.")
  const unknown = Object.keys(given).find((name) => !names.includes(name))
  if (unknown !== undefined) {
    throw bad(`has no option "${unknown}": it has ${names.join(", ")}.${didYouMean(unknown, names)}`)
  }
  const { triggerTokens, keepRecent, model, prompt, tokenCounter, spill } = options
  if (triggerTokens !== undefined && !(Number.isFinite(triggerTokens) && triggerTokens >= 1)) {
    throw bad(`has triggerTokens ${String(triggerTokens)}: give a number of at least 1.`)
  }
  if (keepRecent !== undefined && !(Number.isInteger(keepRecent) && keepRecent >= 0)) {
    throw bad(`has keepRecent ${String(keepRecent)}: give a whole number of at least 0.`)
  }
  if (model !== undefined && typeof (model as Partial<ChatModel> | null)?.generate !== "function") {
    throw bad("takes as model a ChatModel.")
  }
  if (prompt !== undefined && (typeof prompt !== "string" || prompt.trim() === "")) {
    throw bad("takes as prompt a text that is not empty.")
  }
  if (tokenCounter !== undefined && typeof (tokenCounter as Partial<TokenCounter> | null)?.count !== "function") {
    throw bad("takes as tokenCounter an object with a method count.")
  }
  if (spill !== undefined && spill !== false && typeof spill !== "function") {
    throw bad("takes as spill a function, such as fileSpill() makes, or false.")
  }
}

/** Above how many tokens a history for this model is compacted, unless it is said; undefined where its context is not known. */
export function defaultTrigger({ contextWindow, params, facts }: ChatModel): number | undefined {
  if (contextWindow === undefined) return undefined
  const answer = params.maxTokens ?? facts.maxOutputTokens ?? 0
  return Math.floor(Math.max(contextWindow / 2, Math.min(contextWindow * 0.8, contextWindow - answer)))
}
