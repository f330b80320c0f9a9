import { type ChildProcess, spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { statSync } from "node:fs"
import { constants } from "node:os"
import { Socket } from "node:net"
import type { Readable } from "node:stream"
import { StringDecoder } from "node:string_decoder"
import { onAbort } from "@agentscope-ts/message"
import { systemError } from "../error.ts"
import { BoundedOutput } from "./bounded-output.ts"
import { guardGroup, ProcessGroup, runVariable } from "./process-group.ts"

/** A program to run. */
export interface ProcessRequest {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** What the program reads; nothing (an empty input) unless given. */
  readonly input?: string | undefined
  readonly timeoutMs: number
  /** Bytes kept of each of stdout and stderr. */
  readonly maxOutputBytes: number
  readonly signal: AbortSignal
  /** Gets both outputs as they come, `maxOutputBytes` of them at most. */
  readonly onOutput?: ((text: string) => void) | undefined
  /** Gets all bytes of both outputs as they come; they are valid only during the call. */
  readonly onBytes?: ((chunk: Buffer) => void) | undefined
  /** Whether this program may end before the other one does (which then is ended by the guard). */
  readonly background?: boolean | undefined
}

/** How a program ended. */
export interface ProcessOutcome {
  /** The exit code; the negative number of the signal that ended it; -1 after a timeout. */
  readonly returncode: number
  readonly stdout: string
  readonly stderr: string
  readonly timedOut: boolean
  /** Processes that it left running and that were ended with it. */
  readonly leftBehind: number
  /** Whether more was written than was kept. */
  readonly isCut: boolean
}

/** How long output that is still on its way is waited for after the end, in milliseconds. */
const drainMs = 250

/** A program that runs. */
export interface RunningProcess {
  /** Resolves when the program and everything it started are gone. Rejects with `signal.reason`, or `spawn_failed`. */
  readonly outcome: Promise<ProcessOutcome>
  /** Ends it early. */
  readonly stop: () => void
}

/** Both outputs as one text while they come, until the limit. */
function forward(request: ProcessRequest): (decoder: StringDecoder, chunk: Buffer) => void {
  let left = request.maxOutputBytes
  return (decoder, chunk) => {
    request.onBytes?.(chunk)
    if (left <= 0) return
    const kept = chunk.subarray(0, left)
    left -= chunk.length
    const text = decoder.write(kept) + (left <= 0 ? "\n[more output follows, not shown while it runs]\n" : "")
    if (text !== "") request.onOutput?.(text)
  }
}

function collect(
  stream: Readable,
  limit: number,
  onChunk: (decoder: StringDecoder, chunk: Buffer) => void,
): BoundedOutput {
  const output = new BoundedOutput(limit)
  const decoder = new StringDecoder("utf8")
  stream.on("data", (chunk: Buffer) => {
    output.push(chunk)
    onChunk(decoder, chunk)
  })
  stream.on("error", () => {})
  return output
}

function launch(request: ProcessRequest, run: string): ChildProcess {
  return spawn(request.file, request.args, {
    cwd: request.cwd,
    env: { ...request.env, [runVariable]: run },
    // a group of its own, so that all of it can be ended at once
    detached: process.platform !== "win32",
    stdio: [request.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    windowsHide: true,
  })
}

function failedToStart(request: ProcessRequest, cause: unknown): Error {
  const isFolder = statSync(request.cwd, { throwIfNoEntry: false })?.isDirectory() === true
  const why = isFolder ? `"${request.file}" could not be run` : "the working folder does not exist"
  return systemError("spawn_failed", `The command could not be started: ${why}.`, { cause })
}

function codeOf(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? -(signal === null ? 1 : constants.signals[signal])
}

/**
 * Starts a program. It has an own process group and reads nothing but `input`; its output is read while it runs, so that it
 * never waits for us, and kept in bounded memory. The time limit, an abort and {@link RunningProcess.stop} end the whole
 * group; so does the program's own end for what it left behind.
 */
export function startProcess(request: ProcessRequest): RunningProcess {
  const { signal } = request
  if (signal.aborted) return { outcome: Promise.reject(signal.reason), stop: () => {} }
  const run = randomUUID()
  let child: ChildProcess
  try {
    child = launch(request, run)
  } catch (error) {
    return { outcome: Promise.reject(failedToStart(request, error)), stop: () => {} }
  }
  const group = new ProcessGroup(child, run)
  const stop = (): void => {
    void group.end()
  }
  return { outcome: follow(request, child, group), stop }
}

async function follow(request: ProcessRequest, child: ChildProcess, group: ProcessGroup): Promise<ProcessOutcome> {
  const { signal, timeoutMs } = request
  const started = once(child, "spawn")
  child.on("error", () => {}) // a failure to start is told by `started`, and there must never be no listener
  const exited = new Promise<number>((resolve) => child.once("exit", (code, by) => resolve(codeOf(code, by))))
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()))
  const onChunk = forward(request)
  const stdout = collect(child.stdout as Readable, request.maxOutputBytes, onChunk)
  const stderr = collect(child.stderr as Readable, request.maxOutputBytes, onChunk)
  try {
    await started
  } catch (error) {
    throw failedToStart(request, error)
  }
  const release = guardGroup(child.pid as number)
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    void group.end()
  }, timeoutMs)
  if (request.background === true) letGo(child, timer)
  const forget = onAbort(signal, () => void group.end())
  try {
    child.stdin?.on("error", () => {}) // it need not read all of it
    child.stdin?.end(request.input)
    const code = await exited
    clearTimeout(timer)
    const leftBehind = await group.end()
    await drained(child, closed)
    signal.throwIfAborted()
    return {
      returncode: timedOut ? -1 : code,
      stdout: stdout.text(),
      stderr: stderr.text(),
      timedOut,
      leftBehind: timedOut ? 0 : leftBehind,
      isCut: stdout.cut > 0 || stderr.cut > 0,
    }
  } finally {
    clearTimeout(timer)
    forget()
    release()
  }
}

/** Takes a program that runs off what keeps this one alive. */
function letGo(child: ChildProcess, timer: NodeJS.Timeout): void {
  timer.unref()
  child.unref()
  for (const stream of [child.stdout, child.stderr]) if (stream instanceof Socket) stream.unref()
}

/** Waits for the ends of the outputs, but not for ever: a process that escaped may hold them open. */
async function drained(child: ChildProcess, closed: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, drainMs)
  })
  await Promise.race([closed, late])
  clearTimeout(timer)
  child.stdout?.destroy()
  child.stderr?.destroy()
}
