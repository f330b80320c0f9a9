import { mkdir, open, readFile, rename, rm, access, constants } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import type { Tape, TapeEvent } from "./tape-event.ts"
import { tapeEventOf } from "./tape-line.ts"
import { testingError } from "../testing-error.ts"

/** The format that this package writes and reads. */
export const tapeVersion = 1

/** The tape of a run that failed lies beside the one of its name: `add.jsonl` and `add.failed.jsonl`. */
export const failedTape = (file: string): string => file.replace(/(?:\.jsonl)?$/, ".failed.jsonl")

/**
 * Reads a tape.
 * @throws AgentScopeError `tape_missing`, or `invalid_tape` for a file that is none, of another version, or not whole.
 */
export async function readTape(file: string): Promise<Tape> {
  let text: string
  try {
    text = await readFile(file, "utf8")
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") throw missing(file, await exists(failedTape(file)), cause)
    const message = `The tape ${file} cannot be read: ${messageOf(cause)}`
    throw testingError("invalid_tape", message, { details: { file }, cause })
  }
  const lines = text.split("\n")
  if (lines.at(-1) === "") lines.pop()
  if (lines.length === 0) throw invalid(file, "it is empty")
  const recordedAt = headOf(file, lines[0] as string)
  const events: TapeEvent[] = []
  for (const [i, line] of lines.entries()) {
    if (i === 0) continue
    const isLast = i === lines.length - 1
    let value: unknown
    try {
      value = JSON.parse(line)
    } catch (cause) {
      throw invalid(file, isLast ? `it breaks off in line ${i + 1}` : `line ${i + 1} is no JSON`, cause)
    }
    const event = tapeEventOf(value, events)
    if (typeof event === "string") throw invalid(file, `line ${i + 1} ${event}`)
    events.push(event)
  }
  if (events.at(-1)?.type !== "end") throw invalid(file, "it breaks off: the line that ends a tape is not there")
  return { file, recordedAt, events }
}

function headOf(file: string, line: string): number {
  let head: { readonly tape?: unknown; readonly recordedAt?: unknown } | null
  try {
    head = JSON.parse(line) as typeof head
  } catch (cause) {
    throw invalid(file, `its first line is no JSON, but should be {"tape":${tapeVersion},…}`, cause)
  }
  const version = head?.tape
  if (typeof version !== "number")
    throw invalid(file, `its first line is not that of a tape, {"tape":${tapeVersion},…}`)
  if (version !== tapeVersion) {
    throw invalid(file, `it has version ${version}, and this package reads version ${tapeVersion}`)
  }
  const recordedAt = Date.parse(String(head?.recordedAt))
  if (Number.isNaN(recordedAt)) throw invalid(file, "its first line does not say when it was recorded (recordedAt)")
  return recordedAt
}

function missing(file: string, hasFailed: boolean, cause: unknown): Error {
  const failed = hasFailed
    ? ` The last recording failed: ${failedTape(file)} has how far it went, and what it failed with.`
    : ""
  const message = `There is no tape ${file} (${resolve(file)}).${failed} Record it: run the same function once with recordTape("${file}", fn) in the place of replayTape.`
  return testingError("tape_missing", message, { details: { file }, cause })
}

function invalid(file: string, why: string, cause?: unknown): Error {
  const message = `The tape ${file} cannot be used: ${why}. Record it again with recordTape, or bring the old file back.`
  return testingError("invalid_tape", message, { details: { file }, cause })
}

/** Throws before a run is begun whose tape could not be kept. @throws AgentScopeError `tape_not_written`. */
export async function checkFolder(file: string): Promise<void> {
  try {
    await mkdir(dirname(resolve(file)), { recursive: true })
    await access(dirname(resolve(file)), constants.W_OK)
  } catch (cause) {
    throw notWritten(file, cause)
  }
}

/** Puts a tape in the place of the one before, at once or not at all. @throws AgentScopeError `tape_not_written`. */
export async function writeTape(file: string, recordedAt: number, events: readonly TapeEvent[]): Promise<void> {
  const folder = dirname(resolve(file))
  const draft = join(folder, `.${basename(file)}.${process.pid}.${Math.random().toString(36).slice(2)}.tmp`)
  try {
    const handle = await open(draft, "wx")
    try {
      await handle.write(`${JSON.stringify({ tape: tapeVersion, recordedAt: new Date(recordedAt).toISOString() })}\n`)
      for (const event of events) await handle.write(`${JSON.stringify(event, plain)}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(draft, resolve(file))
  } catch (cause) {
    await rm(draft, { force: true }).catch(() => {})
    throw notWritten(file, cause)
  }
}

/** Takes away the tape of a failed run, once one has gone well. */
export async function removeFailed(file: string): Promise<void> {
  await rm(failedTape(file), { force: true }).catch(() => {})
}

function notWritten(file: string, cause: unknown): Error {
  const message = `The tape ${file} could not be written: ${messageOf(cause)}. What was there before is as it was.`
  return testingError("tape_not_written", message, { details: { file }, cause })
}

// a tool's own value may be anything
const plain = (_key: string, value: unknown): unknown => (typeof value === "bigint" ? value.toString() : value)

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  )

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
