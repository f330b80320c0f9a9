import { AgentScopeError, cutText } from "@agentscope-ts/message"
import { systemError } from "../error.ts"
import type { FileRoot, Located } from "../files/file-root.ts"
import { maxEditBytes, readFileBytes } from "../files/read-text.ts"
import { statEntry } from "../files/stat-entry.ts"
import { sniff } from "../files/text-encoding.ts"
import { typeGlobs } from "./file-types.ts"
import { below, globLimit, globTest } from "./glob.ts"
import { LineSearch } from "./line-search.ts"
import { walkFiles } from "./walk.ts"

/** What to search for and what to show of it. */
export interface GrepRequest {
  /** A JavaScript regular expression; `(?i)` at its start ignores case. */
  readonly pattern: string
  /** A file or folder, the root unless given. */
  readonly path?: string | undefined
  readonly show: "content" | "files" | "count"
  /** Globs for the files, divided by blanks or commas. */
  readonly glob?: string | undefined
  /** A kind of file, such as "ts". */
  readonly type?: string | undefined
  readonly ignoreCase?: boolean | undefined
  /** Whether a match may span lines; `.` then also fits a line break. */
  readonly multiline?: boolean | undefined
  readonly before?: number | undefined
  readonly after?: number | undefined
  readonly lineNumbers?: boolean | undefined
  /** Lines of the answer to leave out at its start, and to give at most. */
  readonly offset?: number | undefined
  readonly limit: number
}

/** The lines of the answer. */
export interface GrepAnswer {
  readonly lines: readonly string[]
  /** Whether the limit cut the answer. */
  readonly more: boolean
  /** Files that were too large to search. */
  readonly skipped: number
  /** Why the search ended before its last file, and after how many: a sentence for the model. */
  readonly stopped?: string
}

/** Characters shown of one line. */
const maxLineChars = 500

/** The regular expression of a request; throws `invalid_argument`. */
export function compilePattern({ pattern, ignoreCase, multiline }: GrepRequest): RegExp {
  const inline = /^\(\?([ims]+)\)/.exec(pattern)
  const flags = new Set(`g${ignoreCase === true ? "i" : ""}${multiline === true ? "ms" : ""}${inline?.[1] ?? ""}`)
  const source = pattern.slice(inline?.[0].length ?? 0)
  try {
    return new RegExp(source, [...flags, "u"].join(""))
  } catch {
    try {
      return new RegExp(source, [...flags].join("")) // needless escapes such as \- are errors under "u" only
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw systemError(
        "invalid_argument",
        `The pattern is no regular expression: ${why}. Escape ( ) [ ] { } . * + ? ^ $ | \\ to find them as they are.`,
      )
    }
  }
}

/** Collects the lines of the answer between `offset` and `limit`. */
class Answer {
  readonly lines: string[] = []
  more = false
  #passed = 0
  readonly #offset: number
  readonly #limit: number

  constructor({ offset, limit }: GrepRequest) {
    this.#offset = offset ?? 0
    this.#limit = limit
  }

  add(line: string): void {
    if (this.#passed++ < this.#offset) return
    if (this.lines.length < this.#limit) this.lines.push(line)
    else this.more = true
  }
}

function addMatches(
  answer: Answer,
  file: Located,
  lines: readonly string[],
  found: readonly number[],
  request: GrepRequest,
): void {
  const { before = 0, after = 0, lineNumbers = true } = request
  const matched = new Set(found)
  const separate = before > 0 || after > 0
  let shown = -1
  for (const index of found) {
    const first = Math.max(index - before, shown + 1, 0)
    const last = Math.min(index + after, lines.length - 1)
    if (separate && answer.lines.length > 0 && (shown === -1 || first > shown + 1)) answer.add("--")
    for (let i = first; i <= last && !answer.more; i++) {
      const mark = matched.has(i) ? ":" : "-"
      const line = (lines[i] as string).replace(/\r$/, "")
      const text =
        line.length > maxLineChars
          ? `${cutText(line, maxLineChars)}[truncated ${line.length - maxLineChars} characters]`
          : line
      answer.add(`${file.shown}${mark}${lineNumbers ? `${i + 1}${mark}` : ""}${text}`)
    }
    shown = Math.max(shown, last)
  }
}

async function* filesOf(root: FileRoot, request: GrepRequest, signal: AbortSignal): AsyncGenerator<readonly Located[]> {
  const start = root.locate(request.path ?? ".")
  if (!start.exists) throw systemError("not_found", `"${start.shown}" does not exist.`)
  const stat = await statEntry(start)
  if (!stat.isDirectory()) {
    yield [start]
    return
  }
  const globs = (request.glob ?? "").split(/\s+/).flatMap((glob) => (/\{.*\}/.test(glob) ? [glob] : glob.split(",")))
  const limit = globLimit()
  const test = globTest(
    globs.filter((glob) => glob !== ""),
    limit,
  )
  const ofType = request.type === undefined ? undefined : globTest(typeGlobs(request.type), limit)
  for await (const files of walkFiles(root, start, signal)) {
    const paths = files.map((file) => below(start, file))
    const fits = test(paths)
    const fitsType = ofType?.(paths)
    const wanted = files.filter((_, i) => fits[i] === true && fitsType?.[i] !== false)
    if (wanted.length > 0) yield wanted
  }
}

/** The text of a file: `skipped` for one that is too large or cannot be read, `binary` for one without text. */
async function searchableText(root: FileRoot, file: Located): Promise<{ text: string } | "skipped" | "binary"> {
  const bytes = await readFileBytes(root, file, maxEditBytes).then(
    (read) => read.bytes,
    () => undefined,
  )
  if (bytes === undefined) return "skipped"
  const { encoding, bom } = sniff(bytes)
  if (encoding === "binary") return "binary"
  const text = new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes.subarray(bom))
  const isOther = root.encoding !== undefined && text.includes("\ufffd")
  return { text: isOther ? new TextDecoder(root.encoding).decode(bytes) : text }
}

/**
 * Searches files line by line. Binary files are passed over; files above 10 MiB are counted.
 *
 * A search ends early when its expression, or its globs, block for more than a second (half a second) beyond what ordinary
 * ones need for the same files, and after 200 000 files: then the answer has what was found before and says so in `stopped`.
 * Throws `search_timeout` when nothing was found before.
 */
export async function grepFiles(root: FileRoot, request: GrepRequest, signal: AbortSignal): Promise<GrepAnswer> {
  const search = new LineSearch(compilePattern(request), request.multiline === true)
  const answer = new Answer(request)
  let skipped = 0
  const compare = (): AgentScopeError | undefined => {
    const { files, stopped } = search.run()
    for (const { file, lines, found } of files) {
      if (found.length === 0 || answer.more) continue
      if (request.show === "files") answer.add(file.shown)
      else if (request.show === "count") answer.add(`${file.shown}:${found.length}`)
      else addMatches(answer, file, lines, found, request)
    }
    return answer.more ? undefined : stopped
  }
  const searchAll = async (): Promise<AgentScopeError | undefined> => {
    for await (const files of filesOf(root, request, signal)) {
      for (const file of files) {
        signal.throwIfAborted()
        const read = await searchableText(root, file)
        if (read === "skipped") skipped++
        else if (read !== "binary") search.add(file, read.text)
        if (!search.full) continue
        const stopped = compare()
        if (stopped !== undefined || answer.more) return stopped
      }
    }
    return undefined
  }
  const early = await searchAll().catch((error: unknown) => {
    if (AgentScopeError.is(error, "search_timeout")) return error
    throw error
  })
  const late = compare() // what was read before the end, or before too many files or a slow glob ended it
  const stop = early ?? late
  if (stop === undefined || answer.more) return { lines: answer.lines, more: answer.more, skipped }
  const stopped = `${stop.message} The search was stopped after ${search.searched} ${search.searched === 1 ? "file" : "files"}.`
  if (answer.lines.length === 0) throw systemError("search_timeout", stopped, { cause: stop })
  return { lines: answer.lines, more: false, skipped, stopped }
}
