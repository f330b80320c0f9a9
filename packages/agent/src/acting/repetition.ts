import type { JsonObject, JsonValue, ToolResultBlock, ToolUseBlock } from "@agentscope-ts/message"
import { canonicalJson } from "@agentscope-ts/tool"

/** What a model writes about a call, beside what the call does. */
const cosmetic = new Set(
  "description reason reasoning thought thoughts explanation justification rationale purpose intent comment note".split(
    " ",
  ),
)
/** Rounds of the same call that differ in cosmetic arguments count two thirds: the difference may be meant after all. */
const cosmeticShare = 1.5
/** So many times more rounds in a row of the same call are none too, whatever it answers. */
const newsShare = 5
/** Times of day, dates, epochs and durations: they differ from call to call, and are no news. */
const times =
  /\b\d{4}-\d\d-\d\d(?:[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?)?|\b\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?\b|\b1\d{9}(?:\d{3}){0,3}(?:\.\d+)?\b|\b\d+(?:\.\d+)? ?(?:ns|µs|ms)\b|\b\d+\.\d+ ?s(?:econds)?\b/g
/** A call that comes back after many others is no repetition. */
const windowOf = (most: number): number => 3 * most

/** What a round of calls repeats. */
export interface Repetition {
  /** The name of a tool that was called again. */
  readonly tool: string
  /** In how many of the last rounds it was called with the same arguments, and answered the same. */
  readonly times: number
  readonly stops: boolean
  /** False where the results differed, and there were very many. */
  readonly sameResult: boolean
}

interface Counts {
  readonly exact: number
  readonly alike: number
  /** In how many rounds up to now without a gap, whatever the results. */
  readonly inRow: number
}

/**
 * Finds out whether a model goes round in circles: the same tool, the same arguments (in any order of their keys, and whatever
 * is said in arguments such as `description` or `reason`), and the same result. A tool that answers something new, as polling
 * does once there is news, starts the count again, as long as that does not go on for ever; so does a round in which anything
 * else is called for the first time. Times in a result are no news.
 */
export class RepeatWatch {
  readonly #most: number
  /** The last rounds, each as its calls with their results. */
  readonly #rounds: (readonly Seen[])[] = []

  /** `most`: at how many rounds the reply stops. */
  constructor(most: number) {
    this.#most = most
  }

  /** Takes a round; the repetition, when all of it was there before, half as often as is the end or more. */
  add(calls: readonly ToolUseBlock[], results: readonly ToolResultBlock[]): Repetition | undefined {
    if (this.#most === Number.POSITIVE_INFINITY || calls.length === 0) return undefined
    const round = calls.map((call, i) => new Seen(call, results[i]))
    const last = this.#rounds.at(-1)
    for (const seen of round) seen.inRow += last?.find((before) => before.isSame(seen))?.inRow ?? 0
    const isNew = round.some((seen) => !this.#rounds.some((before) => before.some((other) => other.isSame(seen))))
    this.#rounds.push(round)
    if (this.#rounds.length > windowOf(this.#most)) this.#rounds.shift()
    // what nearly every round ends with: nothing is compared that need not be
    if (isNew) return undefined
    const counts = round.map(
      (seen): Counts => ({
        exact: this.#count(seen, "exact"),
        alike: this.#count(seen, "alike"),
        inRow: seen.inRow,
      }),
    )
    const found = (of: "alike" | "inRow", least: number, end: (counts: Counts) => boolean): Repetition | undefined => {
      const fewest = counts.reduce((a, b) => (b[of] < a[of] ? b : a))
      if (fewest[of] < Math.max(2, least / 2)) return undefined
      const tool = calls[counts.indexOf(fewest)]?.name ?? ""
      return { tool, times: fewest[of], stops: counts.every(end), sameResult: of === "alike" }
    }
    const most = this.#most
    const ends = most * newsShare
    return (
      found("alike", most, ({ exact, alike }) => exact >= most || alike >= most * cosmeticShare) ??
      found("inRow", ends, ({ inRow }) => inRow >= ends)
    )
  }

  /** In how many rounds a call was there with the same result. */
  #count(call: Seen, of: "exact" | "alike"): number {
    const isSame = (seen: Seen): boolean => seen.isSame(call) && seen[of] === call[of]
    return this.#rounds.filter((round) => round.some(isSame)).length
  }
}

/** A call with its result. What takes long to tell of them is told when it is asked for: most calls are never repeated. */
class Seen {
  /** In how many rounds up to this one the call was made, whatever it answered. */
  inRow = 1
  readonly #sketch: number
  readonly #call: ToolUseBlock
  readonly #result: ToolResultBlock | undefined
  #key: string | undefined
  #exact: string | undefined
  #alike: string | undefined

  constructor(call: ToolUseBlock, result: ToolResultBlock | undefined) {
    this.#call = call
    this.#result = result
    this.#sketch = sketchOf(call)
  }

  /** Whether it is the same call, but for what is cosmetic. */
  isSame(other: Seen): boolean {
    return this.#sketch === other.#sketch && this.key === other.key
  }

  /** The call, but for what is cosmetic. */
  get key(): string {
    const { name, input, rawInput } = this.#call
    return (this.#key ??= digest(name, rawInput ?? canonicalJson(withoutCosmetic(input) ?? input)))
  }

  /** The call and its result, to the letter. */
  get exact(): string {
    const { input, rawInput } = this.#call
    return (this.#exact ??= digest(rawInput ?? canonicalJson(input), this.#end))
  }

  /** The result, but for times. */
  get alike(): string {
    return (this.#alike ??= digest(this.#end.replaceAll(times, "")))
  }

  get #end(): string {
    return this.#result ? resultKey(this.#result) : ""
  }
}

/**
 * Told at a glance: equal for calls that are the same in any order of their keys, mostly not for others. A sum of whole
 * numbers, since that of others would depend on the order.
 */
function sketchOf({ name, input, rawInput }: ToolUseBlock): number {
  if (rawInput !== undefined) return rawInput.length
  let sketch = name.length
  for (const key in input) {
    const value = input[key]
    if (typeof value === "number") sketch += (value * key.length) | 0
    else if (typeof value !== "string") sketch += key.length
    else if (!cosmetic.has(key)) sketch += value.length * key.length + (value.charCodeAt(value.length >> 1) || 0)
  }
  return sketch
}

/** The arguments without what is cosmetic; `undefined` where nothing is, or nothing else. */
function withoutCosmetic(input: JsonObject): JsonObject | undefined {
  const keys = Object.keys(input)
  const kept = keys.filter((key) => !cosmetic.has(key) || typeof input[key] !== "string")
  if (kept.length === 0 || kept.length === keys.length) return undefined
  return Object.fromEntries(kept.map((key): [string, JsonValue] => [key, input[key] as JsonValue]))
}

function resultKey({ state, output }: ToolResultBlock): string {
  const [only] = output
  if (output.length === 1 && only?.type === "text") return state + only.text
  return state + JSON.stringify(output)
}

/** Short, so that long results are not kept: what is told apart by it was repeated many times before. */
function digest(...parts: readonly string[]): string {
  let key = ""
  for (const part of parts) key += part.length > 200 ? hash(part) : `${part.length}:${part}`
  return key
}

/** 53 bits of a text and its length: two multiplicative hashes side by side. */
function hash(text: string): string {
  let a = 0x9e3779b1
  let b = 0x85ebca77
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    a = Math.imul(a ^ unit, 0x27d4eb2f)
    b = Math.imul(b ^ unit, 0x165667b1)
  }
  return `#${text.length}.${a >>> 0}.${b >>> 0}`
}
