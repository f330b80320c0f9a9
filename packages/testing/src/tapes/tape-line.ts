import { short } from "./compare.ts"
import type { TapeEvent } from "./tape-event.ts"

type Check = (value: unknown) => boolean
type Field = readonly [check: Check, isOptional?: true]

const text: Check = (value) => typeof value === "string"
const count: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0
const amount: Check = (value) => typeof value === "number" && value >= 0
const object: Check = (value) => typeof value === "object" && value !== null && !Array.isArray(value)
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check)
const oneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value)
const pair: Check = (value) => Array.isArray(value) && value.length === 2 && value.every((n) => typeof n === "number")
const piece: Check = (value) => text(value) || (object(value) && isBase64((value as { base64?: unknown }).base64))
const isBase64: Check = (value) => text(value) && /^[\w+/]*={0,2}$/.test(value as string)
const webUrl: Check = (value) => text(value) && URL.canParse(value as string)
const orderRuns: Check = (value) =>
  Array.isArray(value) && value.every((run) => pair(run) && count(run[0]) && run[1] < 1e7)
const body: Check = (value) =>
  value === null ||
  (object(value) && ["json", "text", "base64", "form"].some((kind) => Object.hasOwn(value as object, kind)))
const result: Check = (value) =>
  object(value) && text((value as { state?: unknown }).state) && Array.isArray((value as { output?: unknown }).output)

/** What each kind of line has to hold. */
const fields: Readonly<Record<TapeEvent["type"], Readonly<Record<string, Field>>>> = {
  request: { call: [count], method: [text], url: [webUrl], body: [body] },
  response: {
    call: [count],
    status: [(value) => count(value) && (value as number) >= 200 && (value as number) <= 599, true],
    headers: [(value) => object(value) && Object.values(value as object).every(text), true],
    body: [listOf(piece)],
    end: [oneOf("done", "aborted", "left", "error")],
    error: [object, true],
    afterMs: [amount],
    order: [orderRuns],
  },
  tool_call: { call: [count], name: [text], input: [(value) => value !== undefined], runs: [oneOf(true), true] },
  tool_result: {
    call: [count],
    result: [result],
    tail: [listOf(object), true],
    chunks: [listOf(object), true],
    sync: [count, true],
    late: [object, true],
    afterMs: [amount],
    order: [orderRuns],
  },
  sleep: { ms: [amount], order: [orderRuns, true] },
  values: {
    after: [count],
    ids: [listOf(text), true],
    clock: [listOf(pair), true],
    random: [listOf((value) => amount(value) && (value as number) < 1), true],
  },
  end: { outcome: [oneOf("returned", "threw")], error: [object, true] },
}

/** The event of a line, after those before it; or what is wrong with it. */
export function tapeEventOf(value: unknown, before: readonly TapeEvent[]): TapeEvent | string {
  if (!object(value)) return "is no object"
  const event = value as Record<string, unknown>
  if (!Object.hasOwn(fields, String(event["type"])))
    return `has the type ${JSON.stringify(event["type"])}, which no event has`
  const type = event["type"] as TapeEvent["type"]
  if (event["at"] !== before.length + 1)
    return `is event ${before.length + 1}, and says that it is ${String(event["at"])}: a line is missing or was moved`
  if (!text(event["lane"])) return "does not say whose it is (lane)"
  for (const [name, [check, isOptional]] of Object.entries(fields[type])) {
    const given = event[name]
    if (given === undefined && isOptional) continue
    if (!check(given)) return `(${type}) has a ${name} that cannot be: ${short(given)}`
  }
  if (before.at(-1)?.type === "end") return "comes after the end"
  const opens = type === "response" ? "request" : type === "tool_result" ? "tool_call" : undefined
  const isOfCall = (other: TapeEvent): boolean => "call" in other && other.call === event["call"]
  if (opens && !before.some((other) => other.type === opens && isOfCall(other)))
    return `(${type}) answers no ${opens} before it`
  return value as TapeEvent
}
