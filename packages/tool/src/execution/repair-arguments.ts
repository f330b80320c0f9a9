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
  const input = typeof rawInput === "string" ? repairedArguments(rawInput) : undefined
  return input ? { ...rest, input } : call
}

/** The object that a text is, read with good will; `undefined` where its meaning is not certain. */
export function repairedArguments(text: string): JsonObject | undefined {
  if (text.length > mostCharacters) return undefined
  const body = unfenced(text)
  return parsed(body) ?? parsed(new Reader(body).read()) ?? parsed(unwrapped(body))
}

/** What stands in a fence around everything. By index: a pattern would go over the same spaces again and again. */
function unfenced(text: string): string {
  const fenced = text.trim()
  const start = fenced.indexOf("\n")
  const isFenced = start > 0 && fenced.length >= start + 4 && fenced.endsWith("```")
  return isFenced && /^```\w*\s*$/.test(fenced.slice(0, start)) ? fenced.slice(start + 1, -3) : text
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
  const inner = /^\{\s*(\{[\s\S]*\})\s*\}$/.exec(text.trim())?.[1]
  return inner && new Reader(inner).read()
}

const space = /[\s\uFEFF]*/y
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])/y
const word = /[A-Za-z_$][\w$]*/y
const plainString = /[^"\\]*/y
const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const single = /'([^'\\]*)'(?=\s*[,:}\]])/y
const extraBraces = /[\s}]*$/y
const literals: ReadonlyMap<string, string> = new Map([
  ["true", "true"],
  ["false", "false"],
  ["null", "null"],
  ["True", "true"],
  ["False", "false"],
  ["None", "null"],
])

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
    if (char === "{") return this.#object()
    if (char === "[") return this.#members("]", () => this.#value())
    if (char === '"' || char === "'") return this.#string() !== undefined
    const digits = this.#take(number)
    if (digits !== undefined) return this.#write(digits)
    const literal = literals.get(this.#take(word) ?? "")
    return literal !== undefined && this.#write(literal)
  }

  #object(): boolean {
    const names = new Set<string>()
    return this.#members("}", () => {
      const name = this.#name()
      // of two values for a name, nobody knows which is meant
      if (name === undefined || names.has(name)) return false
      names.add(name)
      return this.#member()
    })
  }

  #members(closer: string, one: () => boolean): boolean {
    if (++this.#depth > deepest) return false
    this.#write(this.#text[this.#at++] as string)
    for (let first = true; ; first = false) {
      this.#take(space)
      if (this.#text[this.#at] === closer) break
      if (!first) this.#write(",")
      if (!one()) return false
      this.#take(space)
      if (this.#text[this.#at] === ",") this.#at++
      else if (this.#text[this.#at] !== closer) return false
    }
    this.#at++
    this.#depth--
    return this.#write(closer)
  }

  #name(): string | undefined {
    const char = this.#text[this.#at]
    const json = char === '"' || char === "'" ? this.#string() : JSON.stringify(this.#take(word))
    if (json === undefined) return undefined
    if (char !== '"' && char !== "'") this.#write(json)
    return JSON.parse(json) as string
  }

  /** What follows a name. */
  #member(): boolean {
    this.#take(space)
    if (this.#text[this.#at] !== ":") return false
    this.#at++
    this.#write(":")
    return this.#value()
  }

  /** Reads and writes a string, and gives what it wrote; `undefined` where none can be read. */
  #string(): string | undefined {
    const text = this.#take(single)
    let json = text === undefined ? "" : JSON.stringify(text.slice(1, -1))
    if (text === undefined) {
      if (this.#text[this.#at] !== '"') return undefined
      this.#at++
      json = '"'
      for (;;) {
        json += JSON.stringify(this.#take(plainString)).slice(1, -1)
        if (this.#text[this.#at] === '"') break
        const escaped = this.#take(escape)
        if (escaped === undefined) return undefined
        json += escaped
      }
      this.#at++
      json += '"'
    }
    this.#write(json)
    return json
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
