import type { JsonObject, JsonSchema, JsonValue } from "@agentscope-ts/message"
import { bare } from "./paths.ts"
import { type Quote, quoteMark, quotesIn, restore, unmask } from "./spans.ts"
import { lookUp } from "./verbs.ts"
import { contentStems, isStopWord, stem, wordsOf } from "./words.ts"

/** Arguments read out of free words, and the required ones that the words do not give. */
export interface Filled {
  readonly input: JsonObject
  readonly missing: readonly string[]
}

interface Text {
  /** What is left to read. Each value that is found is taken out. */
  rest: string
  readonly quotes: readonly Quote[]
  readonly toolStems: ReadonlySet<string>
}

const typeOf = (schema: JsonSchema): string | undefined => {
  const one = schema.type ?? schema.anyOf?.find((option) => option.type !== "null")?.type
  return typeof one === "string" ? one : one?.find((type) => type !== "null")
}
const spoken = (name: string): string => wordsOf(name).join("[ _-]?")

function take(text: Text, regex: RegExp): RegExpExecArray | undefined {
  const match = regex.exec(text.rest)
  if (!match) return undefined
  text.rest = `${text.rest.slice(0, match.index)} ${text.rest.slice(match.index + match[0].length)}`
  return match
}

function asType(value: string, schema: JsonSchema): JsonValue | undefined {
  switch (typeOf(schema)) {
    case "integer":
    case "number": {
      const number = Number(value.replaceAll(/[,_](?=\d{3})/gu, ""))
      return value.trim() !== "" && Number.isFinite(number) && (typeOf(schema) === "number" || Number.isInteger(number))
        ? number
        : undefined
    }
    case "boolean":
      return /^(?:true|yes|on)$/iu.test(value) ? true : /^(?:false|no|off)$/iu.test(value) ? false : undefined
    case "array": {
      const items = value.split(/\s*,\s*|\s+and\s+/u).map((item) => asType(item, schema.items ?? { type: "string" }))
      return items.every((item) => item !== undefined) ? items : undefined
    }
    case "object":
      try {
        const parsed: unknown = JSON.parse(value)
        return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)
          ? (parsed as JsonObject)
          : undefined
      } catch {
        return undefined
      }
    default:
      return schema.enum
        ? (schema.enum.find((option) => String(option).toLowerCase() === value.toLowerCase()) as JsonValue | undefined)
        : value
  }
}

/** "city=Paris", "city: Paris", "with city Paris", "--city Paris". */
function byName(name: string, schema: JsonSchema, text: Text): JsonValue | undefined {
  const value = `(${quoteMark}|[^\\s,;]+)`
  const before = text.rest
  const match =
    take(text, new RegExp(`(?<![\\p{L}\\p{N}])(?:--)?${spoken(name)}\\s*(?:=|:(?!\\/\\/))\\s*${value}`, "iu")) ??
    take(text, new RegExp(`(?<![\\p{L}\\p{N}])--${spoken(name)}\\s+${value}`, "iu")) ??
    take(
      text,
      new RegExp(
        `(?<![\\p{L}\\p{N}])(?:with|the|and|,)\\s+(?:the |an? )?${spoken(name)}\\s+(?:is |of |as |set to |to |named |called )?${value}`,
        "iu",
      ),
    )
  if (!match) return byNameAndDigit(name, schema, text)
  const found = asType(unmask(bare(match[1] as string) || (match[1] as string), text.quotes), schema)
  if (found === undefined) text.rest = before
  return found
}

/** "order 42", "ticket number #17": a name in front of something with a digit. */
function byNameAndDigit(name: string, schema: JsonSchema, text: Text): JsonValue | undefined {
  const last = wordsOf(name)
    .filter((word) => !/^(?:id|number|no)$/u.test(word))
    .at(-1)
  if (last === undefined) return undefined
  const before = text.rest
  const match = take(
    text,
    new RegExp(
      `(?<![\\p{L}\\p{N}])${last}\\s+(?:(?:id|number|no\\.?)\\s+)?#?((?:\\p{L}+-)?\\d[\\p{L}\\p{N}._-]*)`,
      "iu",
    ),
  )
  const found = match && asType(bare(match[1] as string), schema)
  if (found === undefined) text.rest = before
  return found
}

const prepositions: readonly (readonly [RegExp, string])[] = [
  [/^(?:city|location|place|country|region|where|address|town|state|area|near)$/u, "in|for|at|near|of|around"],
  [/^(?:destination|dest|arrival)$/u, "to|for|into"],
  [
    /^(?:to|recipient|recipients|receiver|target|user|person|name|customer|contact|who)$/u,
    "to|for|named|called|with|by",
  ],
  [/^(?:from|source|origin|sender|departure|start)$/u, "from"],
  [/^(?:topic|subject|about|theme|title|question)$/u, "about|on|titled|regarding|named|called"],
  [/^(?:query|q|search|term|keyword|keywords|text|message|content|body)$/u, "for|about|saying|that says"],
  [/^(?:language|lang|unit|units|currency|format)$/u, "into|in|to|as"],
  [/^(?:date|day|time|when|due|deadline|until)$/u, "on|at|by|for|until"],
  [/^(?:id|number|code|ticket|order|symbol|ticker|stock|share|company|product|item)$/u, "for|of|with|number|about"],
]
const stop =
  "(?=\\s+(?:saying|that|in|for|at|near|to|from|about|on|with|and|by|into|as|of|until|please|now|right|today|tomorrow)(?!\\p{L})|[,;.!?]*$|[,;!?]|\\.\\s)"

function byPreposition(name: string, schema: JsonSchema, text: Text): JsonValue | undefined {
  const words = wordsOf(name)
  const found = prepositions.find(([names]) => words.some((word) => names.test(word)))?.[1]
  if (!found) return undefined
  const before = text.rest
  const match = take(
    text,
    new RegExp(
      `(?<![\\p{L}\\p{N}])(?:${found})\\s+(?:(?:the|a|an|my)\\s+)?(?:(${quoteMark})|([^\\s,;!?][^,;!?]*?)${stop})`,
      "iu",
    ),
  )
  const value = match && asType(unmask((match[1] ?? match[2]) as string, text.quotes).trim(), schema)
  if (value === undefined || value === "" || (typeof value === "string" && isStopWord(value))) {
    text.rest = before
    return undefined
  }
  return value
}

const shapes: readonly (readonly [RegExp, RegExp])[] = [
  [/url|uri|link|href/u, /\bhttps?:\/\/[^\s,;"'<>]*[^\s,;"'<>.!?)]/iu],
  [/email|mail|recipient|^to$/u, /[\p{L}\p{N}._%+-]+@[\p{L}\p{N}.-]+\.\p{L}{2,}/iu],
  [
    /date|day|when|due|deadline/u,
    /\b(?:\d{4}-\d{2}-\d{2}(?:T[\d:.]+Z?)?|today|tomorrow|yesterday|(?:next )?(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b/iu,
  ],
  [/time|hour|when/u, /\b\d{1,2}:\d{2}(?::\d{2})?(?:\s*[ap]m)?\b|\b\d{1,2}\s*[ap]m\b/iu],
  [/id$|number|code|order|ticket/u, /(?<![\p{L}\p{N}])#?(?:[\p{L}]+-)?\d[\p{L}\p{N}-]*\b/iu],
  [/symbol|ticker|stock/u, /\b[A-Z]{1,5}\b/u],
]

function fromText(name: string, schema: JsonSchema, text: Text): JsonValue | undefined {
  if (schema.enum) {
    const hit = schema.enum.find((option) =>
      new RegExp(`(?<![\\p{L}\\p{N}])${escape(String(option))}(?![\\p{L}\\p{N}])`, "iu").test(
        unmask(text.rest, text.quotes),
      ),
    )
    if (hit !== undefined) return hit as JsonValue
    return undefined
  }
  switch (typeOf(schema)) {
    case "integer":
    case "number": {
      const match = take(text, /(?<![\p{L}\p{N}.])-?\d[\d,_]*(?:\.\d+)?(?!\p{L})/u)
      return match && asType(match[0].replace(/,$/u, ""), schema)
    }
    case "boolean": {
      const match = new RegExp(`\\b(not?|without|don'?t)?\\s*(?:be )?${spoken(name)}\\b`, "iu").exec(text.rest)
      return match ? match[1] === undefined : undefined
    }
    case "array":
      return arrayFrom(name, schema, text)
    case "object":
      return undefined
  }
  const shape = shapes.find(([names]) => names.test(name.toLowerCase()))
  const shaped = shape && take(text, shape[1])
  if (shaped) return shaped[0].replace(/^#/u, "")
  const who = /^(?:.*_)?(?:name|person|who|user|author)$/u.test(name) ? properName(text) : undefined
  if (who !== undefined) return who
  const byWord = byPreposition(name, schema, text)
  if (byWord !== undefined) return byWord
  const quoted = take(text, new RegExp(quoteMark, "u"))
  return quoted ? quotesIn(quoted[0], text.quotes)[0] : undefined
}

/** A name of somebody: capitalised words that are not the request's own first word. */
function properName(text: Text): string | undefined {
  for (const match of text.rest.matchAll(/\p{Lu}\p{L}+(?:\s\p{Lu}\p{L}+)*/gu)) {
    const first = wordsOf(match[0])[0] as string
    if (isStopWord(first) || text.toolStems.has(stem(first)) || lookUp(first, false) !== undefined) continue
    text.rest = `${text.rest.slice(0, match.index)} ${text.rest.slice(match.index + match[0].length)}`
    return match[0]
  }
  return undefined
}

function arrayFrom(name: string, schema: JsonSchema, text: Text): JsonValue | undefined {
  const items = schema.items ?? { type: "string" }
  if (typeOf(items) === "number" || typeOf(items) === "integer") {
    const found = text.rest.match(/(?<![\p{L}\p{N}.])-?\d+(?:\.\d+)?/gu)?.map(Number) ?? []
    return found.length > 0 ? found : undefined
  }
  const quoted = quotesIn(text.rest, text.quotes)
  if (quoted.length > 0) return quoted
  const after = new RegExp(`(?<![\\p{L}\\p{N}])${spoken(name)}\\s+(.+)$`, "isu").exec(text.rest)?.[1]
  const left = after === undefined ? remainder(text) : unmask(after, text.quotes).replace(/[\s.!?]+$/u, "")
  return left === "" ? undefined : asType(left, schema)
}

const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/gu, "\\$&")

/** The words that are neither the tool's nor glue, as they were written. */
function remainder(text: Text): string {
  const colon = /^[^:]{0,60}:\s+(?=\S)/u.exec(text.rest)
  if (colon) return restoreInner(text.rest.slice(colon[0].length).trim(), text.quotes)
  const tokens = text.rest.trim().split(/\s+/u)
  const glue = (token: string | undefined): boolean => {
    if (token === undefined) return false
    const words = wordsOf(token)
    return words.length === 0
      ? !new RegExp(quoteMark, "u").test(token)
      : words.every((word) => isStopWord(word) || text.toolStems.has(stem(word)))
  }
  while (tokens.length > 0 && glue(tokens[0])) tokens.shift()
  while (tokens.length > 0 && /^(?:please|now|for|in|of|to|it|me|is|the|a)[.!?]*$/iu.test(tokens.at(-1) as string))
    tokens.pop()
  return restoreInner(tokens.join(" ").replace(/[\s.!?]+$/u, ""), text.quotes)
}

const restoreInner = (text: string, quotes: readonly Quote[]): string =>
  new RegExp(`^${quoteMark}$`, "u").test(text) ? unmask(text, quotes) : restore(text, quotes)

/**
 * Fills a tool's parameters from free words: by name ("city=Paris"), by shape (numbers, addresses, dates, choices), by
 * preposition ("in Paris"), by quotation marks, and the one text parameter that is left by the words that are left.
 * Optional parameters are filled only where the words name them. `given` are values known already.
 */
export function fill(
  parameters: JsonSchema,
  words: string,
  quotes: readonly Quote[],
  options: { given?: JsonObject; toolWords?: string; nearby?: boolean } = {},
): Filled {
  const properties = parameters.properties ?? {}
  const required = parameters.required ?? []
  const text: Text = {
    rest: words,
    quotes,
    toolStems: new Set(contentStems(options.toolWords ?? "").concat(wordsOf(options.toolWords ?? "").map(stem))),
  }
  const input: Record<string, JsonValue> = { ...options.given }
  const set = (name: string, value: JsonValue | undefined): void => {
    if (value !== undefined) input[name] = value
  }
  const open = () => Object.entries(properties).filter(([name]) => !(name in input))
  for (const [name, schema] of open()) set(name, byName(name, schema, text))
  // free words fill what must be there, and an optional parameter only if it is a choice that they name
  for (const [name, schema] of open()) {
    if (required.includes(name) || (options.nearby !== false && schema.enum)) set(name, fromText(name, schema, text))
    else if (typeOf(schema) === "boolean" && wordsOf(name).every((word) => word.length > 3))
      set(name, fromText(name, schema, text))
    else if (options.nearby !== false && typeOf(schema) === "string" && required.length === 0)
      set(name, byPreposition(name, schema, text))
  }
  const texts = open().filter(
    ([name, schema]) => required.includes(name) && typeOf(schema) === "string" && !schema.enum,
  )
  const left = texts.length === 1 ? remainder(text) : ""
  if (left !== "") set((texts[0] as [string, JsonSchema])[0], left)
  for (const [name, schema] of open()) {
    if (!required.includes(name)) continue
    if (schema["default"] !== undefined) set(name, schema["default"] as JsonValue)
    else if (schema.const !== undefined) set(name, schema.const as JsonValue)
    else if (schema.enum?.length === 1) set(name, schema.enum[0] as JsonValue)
  }
  return { input, missing: required.filter((name) => !(name in input)) }
}
