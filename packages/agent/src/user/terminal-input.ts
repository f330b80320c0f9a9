import { onAbort } from "@agentscope-ts/message"
import { agentError } from "../agent-error.ts"

/** Where lines are read from, and where the question is put. */
export interface Terminal {
  readonly input: NodeJS.ReadStream | NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
}

/**
 * Asks one line of the program's terminal. What was typed beyond the line stays in the input for the next question, and
 * nothing stays registered on it: a program that asks no more can end.
 * @throws AgentScopeError `input_closed` at the end of the input or where there is none, `aborted` on Ctrl-C; the signal's
 * reason when it aborts.
 */
export function askLine(
  question: string,
  signal: AbortSignal,
  terminal: Terminal = standardTerminal(),
): Promise<string> {
  signal.throwIfAborted()
  return isTty(terminal.input) ? askTty(question, signal, terminal) : askPipe(question, signal, terminal)
}

const isTty = (input: Terminal["input"]): boolean => "isTTY" in input && input.isTTY

function standardTerminal(): Terminal {
  const { stdin, stdout } = globalThis.process ?? {}
  if (!stdin || !stdout) {
    throw agentError("input_closed", "UserAgent: this runtime has no standard input. Give an `input` function.")
  }
  return { input: stdin, output: stdout }
}

const closed = () => agentError("input_closed", "UserAgent: the input has ended, there is nobody to ask.")

/** A person at a keyboard: a line editor for the time of the question. */
function askTty(question: string, signal: AbortSignal, { input, output }: Terminal): Promise<string> {
  const { createInterface } = globalThis.process.getBuiltinModule("node:readline")
  return new Promise((resolve, reject) => {
    const lines: string[] = []
    let ended = false
    const editor = createInterface({ input, output, terminal: true })
    const end = (error: unknown) => {
      if (ended) return undefined
      ended = true
      off()
      editor.close()
      input.pause()
      const [line, ...more] = lines
      if (line === undefined) return reject(error)
      // a paste of several lines comes at once: the rest is for the questions to come
      if (more.length > 0) input.unshift(`${more.join("\n")}\n`)
      return resolve(line)
    }
    const off = onAbort(signal, () => end(signal.reason))
    editor.on("line", (line) => {
      // the lines of one paste are emitted one after the other, without a turn between
      if (lines.push(line) === 1) queueMicrotask(() => end(undefined))
    })
    editor.on("SIGINT", () => end(agentError("aborted", "UserAgent: stopped with Ctrl-C.")))
    editor.on("close", () => end(closed()))
    editor.setPrompt(question)
    editor.prompt()
  })
}

/** Lines from a file or another program: read up to the end of the line, the rest goes back. */
function askPipe(question: string, signal: AbortSignal, { input, output }: Terminal): Promise<string> {
  output.write(question)
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    const finish = (settle: () => void) => {
      off()
      input.removeListener("data", read)
      input.removeListener("end", ended)
      input.removeListener("error", failed)
      input.pause()
      release(input)
      settle()
    }
    const read = (chunk: Uint8Array | string) => {
      const bytes = typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk
      const at = bytes.indexOf(newline)
      if (at < 0) return void chunks.push(bytes)
      chunks.push(bytes.subarray(0, at))
      const rest = bytes.subarray(at + 1)
      return finish(() => {
        if (rest.length > 0) input.unshift(rest)
        resolve(lineOf(chunks))
      })
    }
    // a last line without an end is a line
    const ended = () => finish(() => (chunks.length > 0 ? resolve(lineOf(chunks)) : reject(closed())))
    const failed = (error: unknown) => finish(() => reject(error))
    const off = onAbort(signal, () =>
      finish(() => {
        if (chunks.length > 0) input.unshift(joined(chunks))
        reject(signal.reason)
      }),
    )
    if ("readableEnded" in input && input.readableEnded) return ended()
    input.on("end", ended)
    input.on("error", failed)
    input.on("data", read)
    hold(input)
    input.resume()
    return undefined
  })
}

/** A pipe goes on reading ahead when it is paused: as long as it is open, the program could not end. */
function release(input: Terminal["input"]): void {
  const isRead = input.listenerCount("data") + input.listenerCount("readable") > 0
  if (!isRead && "unref" in input && typeof input.unref === "function") input.unref()
}

function hold(input: Terminal["input"]): void {
  if ("ref" in input && typeof input.ref === "function") input.ref()
}

const newline = 10

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0))
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.length
  }
  return all
}

/** The line as text, whole characters only now that all of its bytes are there. */
const lineOf = (chunks: readonly Uint8Array[]): string => new TextDecoder().decode(joined(chunks)).replace(/\r$/, "")
