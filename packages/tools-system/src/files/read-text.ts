import type { Stats } from "node:fs"
import { AgentScopeError, cutText } from "@agentscope-ts/message"
import { ioError, systemError } from "../error.ts"
import type { FileRoot, Located } from "./file-root.ts"
import { decodeNamed } from "./named-encoding.ts"
import { type OpenFile, openToRead } from "./open-file.ts"
import { decodeExactly, type Sniffed, sniff } from "./text-encoding.ts"

/** Files above this are not changed through the tools: 10 MiB. */
export const maxEditBytes = 10 * 1024 * 1024
/** What is read of a file at most to find some lines of it: 1280 MiB, in pieces. */
const maxScanBytes = 1280 * 1024 * 1024
const chunkBytes = 64 * 1024

/** A whole text file, ready to be changed and written back. */
export interface TextFile extends Sniffed {
  readonly text: string
  readonly stat: Stats
}

function binary(shown: string, bytes: number): Error {
  return systemError(
    "binary_file",
    `"${shown}" is a binary file of ${bytes} bytes; it cannot be shown or changed as text.`,
  )
}

async function readBytes({ handle, stat }: OpenFile, shown: string, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let total = 0
  // the size in `stat` is no promise (files in /proc say 0, logs grow)
  for (;;) {
    const { bytesRead, buffer } = await handle.read({
      buffer: Buffer.allocUnsafe(Math.max(chunkBytes, Math.min(stat.size, limit) + 1 - total)),
    })
    if (bytesRead === 0) return Buffer.concat(chunks, total)
    total += bytesRead
    if (total > limit) {
      throw systemError(
        "too_large",
        `"${shown}" is larger than ${limit / 1024 / 1024} MiB, too large for this tool. Use the shell for it.`,
      )
    }
    chunks.push(buffer.subarray(0, bytesRead))
  }
}

/** The bytes of a regular file up to `limit`; `too_large` beyond. */
export async function readFileBytes(
  root: FileRoot,
  file: Located,
  limit: number,
): Promise<{ bytes: Buffer; stat: Stats }> {
  const open = await openToRead(root, file)
  try {
    return { bytes: await readBytes(open, file.shown, limit), stat: open.stat }
  } catch (error) {
    throw ioError("read", file.shown, error)
  } finally {
    await open.handle.close()
  }
}

/** A whole text file of at most 10 MiB whose bytes survive being written back. */
export async function readText(root: FileRoot, file: Located): Promise<TextFile> {
  const { bytes, stat } = await readFileBytes(root, file, maxEditBytes)
  const sniffed = sniff(bytes)
  if (sniffed.encoding === "binary") throw binary(file.shown, bytes.length)
  try {
    return { ...sniffed, text: decodeExactly(bytes, sniffed, file.shown), stat }
  } catch (error) {
    const named = root.encoding === undefined ? undefined : await decodeNamed(bytes, root.encoding, file.shown)
    if (named === undefined) throw error
    return { ...sniffed, ...named, stat }
  }
}

/** Which lines, counted from 1, and how much of them. */
export interface LineWindow {
  readonly from: number
  readonly to: number
  /** Characters of all lines together, with eight for each line's number; the lines end before it is passed. */
  readonly maxChars: number
  /** Characters of one line; the rest is cut and counted. */
  readonly maxLineChars: number
}

/** Lines of a file without their line breaks. */
export interface FileLines {
  readonly lines: readonly string[]
  /** The number of lines in the file, when the end was reached. */
  readonly total?: number
  /** Bytes that were no valid text show as U+FFFD. */
  readonly damaged: boolean
  readonly stat: Stats
}

/** Keeps the lines of a window out of text that comes in pieces of any size. */
class LineCollector {
  readonly lines: string[] = []
  readonly #window: LineWindow
  #number = 1
  #line = ""
  #length = 0
  #chars = 0
  full = false

  constructor(window: LineWindow) {
    this.#window = window
  }

  /** The number of lines so far; text after the last line break counts as one. */
  get count(): number {
    return this.#length > 0 ? this.#number : this.#number - 1
  }

  feed(text: string): void {
    let at = 0
    while (!this.full) {
      const end = text.indexOf("\n", at)
      this.#append(text, at, end < 0 ? text.length : end)
      if (end < 0) return
      this.#finish()
      at = end + 1
    }
  }

  end(): void {
    if (this.#length > 0 && !this.full) this.#finish()
  }

  #append(text: string, from: number, to: number): void {
    this.#length += to - from
    const { from: first, to: last, maxLineChars } = this.#window
    if (this.#number < first || this.#number > last || this.#line.length > maxLineChars) return
    this.#line += text.slice(from, Math.min(to, from + maxLineChars + 1 - this.#line.length))
  }

  #finish(): void {
    const { from, to, maxChars, maxLineChars } = this.#window
    if (this.#number >= from && this.#number <= to) {
      let line = this.#line.endsWith("\r") ? this.#line.slice(0, -1) : this.#line
      if (line.length > maxLineChars) {
        const kept = cutText(line, maxLineChars)
        line = `${kept}[truncated ${this.#length - kept.length} characters]`
      }
      this.#chars += line.length + 8
      if (this.#chars > maxChars && this.lines.length > 0) this.full = true
      else this.lines.push(line)
    }
    this.#number++
    this.#line = ""
    this.#length = 0
    if (this.#number > to) this.full = true
  }
}

async function scan(
  open: OpenFile,
  shown: string,
  window: LineWindow,
  signal?: AbortSignal,
  named?: string,
): Promise<FileLines> {
  const buffer = Buffer.allocUnsafe(chunkBytes)
  const collector = new LineCollector(window)
  let decoder: InstanceType<typeof TextDecoder> | undefined
  let damaged = false
  for (let at = 0; !collector.full; ) {
    signal?.throwIfAborted()
    if (at > maxScanBytes) {
      throw systemError(
        "too_large",
        `"${shown}" is larger than ${maxScanBytes / 1024 / 1024} MiB before these lines. Use the shell for it.`,
      )
    }
    const { bytesRead } = await open.handle.read(buffer, 0, chunkBytes, at)
    const bytes = buffer.subarray(0, bytesRead)
    if (decoder === undefined) {
      const { encoding } = sniff(bytes)
      if (encoding === "binary") throw binary(shown, open.stat.size)
      decoder = new TextDecoder(named ?? encoding) // takes the byte order mark away
    }
    at += bytesRead
    const text = decoder.decode(bytes, { stream: bytesRead > 0 })
    damaged ||= text.includes("\ufffd")
    collector.feed(text)
    if (bytesRead > 0) continue
    const total = collector.count
    collector.end()
    return { lines: collector.lines, total, damaged, stat: open.stat }
  }
  return { lines: collector.lines, damaged, stat: open.stat }
}

/**
 * Lines `from` to `to` of a text file of any size; negative numbers count from its end (-1 is the last line). Reading stops
 * with the last line asked for, so that the start of a huge file costs little.
 */
export async function readLines(
  root: FileRoot,
  file: Located,
  window: LineWindow,
  signal?: AbortSignal,
): Promise<FileLines & { readonly first: number }> {
  const open = await openToRead(root, file)
  try {
    let { from, to } = window
    if (from < 0 || to < 0) {
      const all = { ...window, from: Number.POSITIVE_INFINITY, to: Number.POSITIVE_INFINITY }
      const total = (await scan(open, file.shown, all, signal)).total ?? 0
      if (from < 0) from = Math.max(1, total + 1 + from)
      if (to < 0) to = total + 1 + to
    }
    const found = await scan(open, file.shown, { ...window, from, to }, signal)
    if (!found.damaged || root.encoding === undefined) return { ...found, first: from }
    return { ...(await scan(open, file.shown, { ...window, from, to }, signal, root.encoding)), first: from }
  } catch (error) {
    if (signal?.aborted === true || AgentScopeError.is(error)) throw error
    throw ioError("read", file.shown, error)
  } finally {
    await open.handle.close()
  }
}
