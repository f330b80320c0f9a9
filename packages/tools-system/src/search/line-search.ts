import { AgentScopeError } from "@agentscope-ts/message"
import type { Located } from "../files/file-root.ts"
import { TimeLimit } from "./time-limit.ts"

/** A file whose lines were compared. */
export interface SearchedFile {
  readonly file: Located
  readonly lines: readonly string[]
  /** The indices of the lines that match. */
  readonly found: readonly number[]
}

interface Pending {
  readonly file: Located
  readonly text: string
  readonly lines: readonly string[]
}

/** Time that the regular expression may block in one search, beyond what an ordinary one needs for the same text. */
const matchMs = 1000
/** What an ordinary expression needs at most for a character, and a guarded call for itself: free of charge. */
const ordinaryMs = { perChar: 0.000_05, perCall: 2 }
/** Characters and files that are compared in one guarded call, which costs as much as a hundred small files. */
const batch = { chars: 1_000_000, files: 1000 }

/** Compares files with a regular expression, many in one guarded call, and stops one that backtracks without end. */
export class LineSearch {
  /** Files compared so far. */
  searched = 0
  readonly #regex: RegExp
  readonly #multiline: boolean
  readonly #limit = new TimeLimit(
    matchMs,
    "The regular expression takes too long. Use a simpler one, without nested repetitions.",
  )
  #pending: Pending[] = []
  #chars = 0

  constructor(regex: RegExp, multiline: boolean) {
    this.#regex = regex
    this.#multiline = multiline
  }

  /** Whether the files that were added are worth a call of {@link run}. */
  get full(): boolean {
    return this.#chars >= batch.chars || this.#pending.length >= batch.files
  }

  add(file: Located, text: string): void {
    const lines = text.split("\n")
    if (lines.at(-1) === "") lines.pop()
    this.#pending.push({ file, text, lines })
    this.#chars += text.length + 1
  }

  /** Compares the files added since the last call; with `stopped`, only those before the one that took too long. */
  run(): { readonly files: readonly SearchedFile[]; readonly stopped?: AgentScopeError } {
    const [pending, chars] = [this.#pending, this.#chars]
    this.#pending = []
    this.#chars = 0
    const files: SearchedFile[] = []
    const work = () => {
      for (const { file, text, lines } of pending)
        files.push({ file, lines, found: matchingLines(this.#regex, text, lines, this.#multiline) })
    }
    try {
      if (pending.length > 0) this.#limit.run(work, ordinaryMs.perCall + chars * ordinaryMs.perChar)
      return { files }
    } catch (error) {
      if (AgentScopeError.is(error, "search_timeout")) return { files, stopped: error }
      throw error
    } finally {
      this.searched += files.length
    }
  }
}

/** The indices of the lines that match. */
function matchingLines(regex: RegExp, text: string, lines: readonly string[], multiline: boolean): number[] {
  if (!multiline) {
    const found: number[] = []
    for (const [i, line] of lines.entries()) {
      regex.lastIndex = 0
      if (regex.test(line)) found.push(i)
    }
    return found
  }
  const found = new Set<number>()
  let line = 0
  let lineEnd = lines[0]?.length ?? 0
  const seek = (offset: number): number => {
    while (offset > lineEnd && line < lines.length - 1) lineEnd += 1 + (lines[++line] as string).length
    return line
  }
  for (const match of text.matchAll(regex)) {
    const first = seek(match.index)
    const last = seek(match.index + Math.max(0, match[0].replace(/\n$/, "").length))
    for (let i = first; i <= last; i++) found.add(i)
  }
  return [...found]
}
