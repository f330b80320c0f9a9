import type { JsonObject, ToolUseBlock } from "@agentscope-ts/message"

/** Arguments longer than this, or deeper, are not worth a second reading. */
const mostCharacters = 2 ** 24
const deepest = 200

/**
 * A call whose arguments are no JSON, but can mean only one thing, with those arguments; any other call as it is. Read as they
 * stand are: commas before a closing bracket, control characters in strings, names without quotes, texts in single quotes that
 * hold no backslash, Python's `True`, `False` and `None`, a second pair of braces around everything or closing braces too many,
 * a fence around everything, and an object given as a string. Nothing that is missing is added, and what other dialects read in two
 * ways, such as `\x00` or `\d`, is not read at all.
 */
export function repairedCall(call: ToolUseBlock): ToolUseBlock {
  const { rawInput, ...rest } = call
  const input = rawInput === undefined ? undefined : repairedArguments(rawInput)
  return input ? { ...rest, input } : call
}

/** The object that a text is, read with good will; `undefined` where its meaning is not certain. */
export function repairedArguments(text: string): JsonObject | undefined {
  if (text.length > mostCharacters) return undefined
  const body = /^\s*```\w*\s*\n([\s\S]*?)\n?\s*```\s*$/.exec(text)?.[1] ?? text
  return parsed(body) ?? parsed(new Reader(body).read()) ?? parsed(unwrapped(body))
}

function parsed(json: string | undefined): JsonObject | undefined {
  if (json === undefined) return undefined
  try {
    const value: unknown = JSON.parse(json)
    // an object in a string, as some models send it
    if (typeof value === "string" && value.trim().startsWith("{")) return parsed(value)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined
  } catch {
    return undefined
  }
}

/** What stands in a second pair of braces, which means nothing in any dialect. */
function unwrapped(text: string): string | undefined {
  const inner = /^\s*\{\s*(\{[\s\S]*\})\s*\}\s*$/.exec(text)?.[1]
  return inner && new Reader(inner).read()
}

const space = /[\s\uFEFF]*/y
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])/y
const word = /[A-Za-z_$][\w$]*/y
const plainString = /[^"\\]*/y
const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const single = /'([^'\\]*)'(?=\s*[,:}\]])/y
const extraBraces = /[\s}]*$/y
const literals: Readonly<Record<string, string>> = {
  true: "true",
  false: "false",
  null: "null",
  True: "true",
  False: "false",
  None: "null",
}

/** Reads a text once and writes it as JSON; gives up where it could mean two things. */
class Reader {
  readonly #text: string
  #at = 0
  #out = ""
  #depth = 0

  constructor(text: string) {
    this.#text = text
  }

  /** The text as JSON, or `undefined`. */
  read(): string | undefined {
    this.#take(space)
    return this.#text[this.#at] === "{" && this.#value() && this.#take(extraBraces) !== undefined
      ? this.#out
      : undefined
  }

  #value(): boolean {
    this.#take(space)
    const char = this.#text[this.#at]
    if (char === "{") return this.#members("}", () => this.#member())
    if (char === "[") return this.#members("]", () => this.#value())
    if (char === '"' || char === "'") return this.#string()
    const digits = this.#take(number)
    if (digits !== undefined) return this.#write(digits)
    const literal = literals[this.#take(word) ?? ""]
    return literal !== undefined && this.#write(literal)
  }

  #members(closer: string, one: () => boolean): boolean {
    if (++this.#depth > deepest) return false
    this.#write(this.#text[this.#at++] as string)
    const names = new Set<string>()
    for (let first = true; ; first = false) {
      this.#take(space)
      if (this.#text[this.#at] === closer) break
      if (!first) this.#write(",")
      const start = this.#out.length
      if (!one()) return false
      // of two values for a name, nobody knows which is meant
      if (closer === "}") {
        const name = nameOf(this.#out.slice(start))
        if (names.has(name)) return false
        names.add(name)
      }
      this.#take(space)
      if (this.#text[this.#at] === ",") this.#at++
      else if (this.#text[this.#at] !== closer) return false
    }
    this.#at++
    this.#depth--
    return this.#write(closer)
  }

  #member(): boolean {
    const char = this.#text[this.#at]
    const name = char === '"' || char === "'" ? undefined : this.#take(word)
    if (name === undefined ? !this.#string() : !this.#write(JSON.stringify(name))) return false
    this.#take(space)
    if (this.#text[this.#at] !== ":") return false
    this.#at++
    this.#write(":")
    return this.#value()
  }

  #string(): boolean {
    const text = this.#take(single)
    if (text !== undefined) return this.#write(JSON.stringify(text.slice(1, -1)))
    if (this.#text[this.#at] !== '"') return false
    this.#at++
    this.#write('"')
    for (;;) {
      this.#write(JSON.stringify(this.#take(plainString)).slice(1, -1))
      if (this.#text[this.#at] === '"') break
      const escaped = this.#take(escape)
      if (escaped === undefined) return false
      this.#write(escaped)
    }
    this.#at++
    return this.#write('"')
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    if (found !== undefined) this.#at += found.length
    return found
  }

  #write(json: string): true {
    this.#out += json
    return true
  }
}

/** The name that a member written as JSON begins with. */
const nameOf = (member: string): string => JSON.parse(/^"(?:[^"\\]|\\.)*"/.exec(member)?.[0] ?? '""') as string
