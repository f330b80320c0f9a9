import { type ChildProcess, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { ambient, cutText } from "@agentscope-ts/message"
import { mcpError } from "../error.ts"
import type { McpEvent, StdioOptions } from "../mcp-options.ts"
import { childEnvironment } from "./child-environment.ts"
import { argumentsApart, commandLine, commandPlace } from "./command-line.ts"
import { readRpcLine, type RpcMessage } from "./json-rpc-line.ts"
import { LineSplitter } from "./line-splitter.ts"
import { signalTree, watchTree } from "./process-tree.ts"
import { TextTail } from "./text-tail.ts"

/** The longest message, in bytes. */
const messageLimit = 64 * 1024 * 1024
/** How much of standard error is kept, in bytes. */
const tailLimit = 64 * 1024
/** How much of what is no MCP on standard output is kept, from its beginning, in characters. */
const noiseLimit = 500
/** How long a server has to end: after its input was closed, and again after it was told to. In milliseconds. */
const graceMs = 2000
/** How long the rest of the output is waited for after the process has ended, in milliseconds. */
const drainMs = 200

/** A server as a process: messages are lines on its standard input and output. The SDK's interface of a transport. */
export class StdioTransport {
  onmessage?: (message: RpcMessage) => void
  onclose?: () => void
  onerror?: (error: Error) => void
  readonly #options: StdioOptions
  readonly #report: (event: McpEvent) => void
  readonly #stderr = new TextTail(tailLimit)
  readonly #stdout = new LineSplitter(messageLimit)
  #child: ChildProcess | undefined
  #gone: Promise<void> | undefined
  #noise = ""
  #hasSpoken = false
  #ending: string | undefined
  #closed = false
  #isClosing = false

  constructor(options: StdioOptions, report: (event: McpEvent) => void) {
    this.#options = options
    this.#report = report
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Whether the process has ended. */
  get isGone(): boolean {
    return this.#closed || (this.#child !== undefined && hasEnded(this.#child))
  }

  /** How the process ended by itself, with the end of what it wrote on standard error; undefined while it runs. */
  get ending(): string | undefined {
    if (this.#ending === undefined || this.#isClosing) return undefined
    return this.#ending + this.#tail()
  }

  #tail(): string {
    const tail = this.#stderr.text(2000)
    return tail === "" ? "" : ` The end of its standard error:\n${tail}`
  }

  /** What there was on standard output instead of MCP; empty where there was nothing, or also MCP. */
  get babble(): string {
    const began = cutText(`${this.#noise}${this.#stdout.pending(noiseLimit)}`.trim(), noiseLimit)
    if (began === "" || this.#hasSpoken) return ""
    return ` What it wrote to its standard output is not MCP: is this the command of an MCP server? It began with ${JSON.stringify(began)}.`
  }

  /** What may be the matter with a server that says nothing, and what it wrote so far. */
  get silence(): string {
    const advice =
      " Its first download (npx, uvx) may be slow: raise connectTimeoutMs. It may lack a variable: it gets few of this process's, give the others in env."
    const written = this.babble + this.#tail()
    return advice + (written === "" ? " It wrote nothing to standard output or standard error." : written)
  }

  /** Starts the process; rejects with `command_not_found`. */
  async start(): Promise<void> {
    const { command, args = [], cwd } = this.#options
    const env = childEnvironment(this.#options.env)
    const line = commandLine(command, args, commandPlace(env, cwd))
    const child = spawn(line.command, line.args, {
      env,
      cwd,
      stdio: ["pipe", "pipe", "pipe"],
      windowsHide: true,
      windowsVerbatimArguments: line.windowsVerbatimArguments,
      // a group of its own, so that what the server starts ends with it
      detached: process.platform !== "win32",
    })
    this.#child = child
    watchTree(child)
    child.stdin?.on("error", (error) => this.onerror?.(error))
    child.stdout?.on("data", (chunk: Buffer) => this.#read(chunk)).on("error", (error) => this.onerror?.(error))
    child.stdout?.once("end", () => void this.#onMute())
    child.stderr?.on("data", (chunk: Buffer) => this.#hear(chunk)).on("error", (error) => this.onerror?.(error))
    this.#gone = new Promise((resolve) => {
      child.once("exit", (code, signal) => void this.#onExit(child, code, signal).then(resolve))
    })
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve)
      child.once("error", (cause) => reject(this.#notStarted(cause)))
    })
    child.on("error", (error) => this.onerror?.(error))
  }

  #notStarted(cause: Error): Error {
    const { command, cwd, name } = this.#options
    this.#closed = true
    this.#ending = `It could not be started: ${cause.message}.`
    if (cwd !== undefined && !existsSync(cwd)) {
      const message = `The MCP server "${name}" could not be started: its working folder ${cwd} does not exist.`
      return mcpError("invalid_argument", message, { cause })
    }
    const isMissing = "code" in cause && cause.code === "ENOENT"
    const why = isMissing
      ? `there is no command "${command}" on its PATH. ${/\s/.test(command.trim()) ? argumentsApart(command) : "Install it, or give its whole path."}`
      : cause.message
    return mcpError("command_not_found", `The MCP server "${name}" could not be started: ${why}`, { cause })
  }

  #hear(chunk: Buffer): void {
    this.#stderr.push(chunk)
    if (this.#options.onEvent) this.#report({ type: "stderr", text: chunk.toString("utf8", 0, 2000) })
  }

  #read(chunk: Buffer): void {
    const lines = this.#stdout.push(chunk)
    if (lines) for (const line of lines) this.#take(line)
    else this.#giveUp()
  }

  #take(line: string): void {
    if (this.#closed) return
    const { messages, noise } = readRpcLine(line)
    if (messages.length > 0) this.#hasSpoken = true
    if (noise !== "") {
      if (this.#noise.length < noiseLimit) this.#noise += `${noise.slice(0, noiseLimit)}\n`
      this.#report({ type: "noise", text: cutText(noise, 2000) })
    }
    for (const message of messages) this.onmessage?.(message)
  }

  #giveUp(): void {
    this.#ending ??= `It sent a message of more than ${messageLimit / 1024 / 1024} MiB, and was stopped.`
    const pid = this.#child?.pid
    this.#child?.stdout?.destroy()
    if (pid !== undefined) signalTree(pid, "SIGKILL")
  }

  /** Nothing can come any more: a server that does not end by itself then is ended. */
  async #onMute(): Promise<void> {
    if (this.#isClosing || (await isDone(this.#gone ?? Promise.resolve(), graceMs)) || this.#isClosing) return
    this.#ending ??= "It closed its standard output, and was stopped."
    const pid = this.#child?.pid
    if (pid !== undefined) signalTree(pid, "SIGKILL")
  }

  async #onExit(child: ChildProcess, code: number | null, signal: NodeJS.Signals | null): Promise<void> {
    const how = signal === null ? `exited with code ${code}` : `was ended by ${signal}`
    this.#ending ??= `The server ${how}.`
    // what it started may hold the pipes open: they are waited for no longer than a moment
    const isDrained = new AbortController()
    const drained = new Promise<void>((resolve) => child.once("close", resolve)).then(() => isDrained.abort())
    await Promise.race([drained, ambient().sleep(drainMs, isDrained.signal)]).catch(() => {})
    isDrained.abort()
    if (child.pid !== undefined) signalTree(child.pid, "SIGKILL")
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy()
    this.#take(this.#stdout.rest())
    this.#closed = true
    this.onclose?.()
  }

  /** Writes a message; resolves when it has been handed over. */
  async send(message: unknown): Promise<void> {
    const stdin = this.#child?.stdin
    if (!stdin?.writable || this.#closed) {
      throw mcpError("connection_closed", `The MCP server "${this.#options.name}" is not connected.`)
    }
    const failure = await new Promise<Error | null | undefined>((resolve) => {
      stdin.write(`${JSON.stringify(message)}\n`, resolve)
    })
    if (!failure) return
    // a process that dies breaks its pipe first: how it died says more, and ends what waits
    await isDone(this.#gone ?? Promise.resolve(), drainMs)
    throw failure
  }

  /** Ends the process and all that it started: by closing its input, by SIGTERM, by SIGKILL. */
  async close(): Promise<void> {
    const child = this.#child
    const gone = this.#gone
    if (child?.pid === undefined || gone === undefined) return
    if (hasEnded(child)) return gone
    this.#isClosing = true
    child.stdin?.end()
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      if (await isDone(gone, graceMs)) return
      signalTree(child.pid, signal)
    }
    await gone
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null

async function isDone(work: Promise<void>, ms: number): Promise<boolean> {
  const stop = new AbortController()
  const late = ambient()
    .sleep(ms, stop.signal)
    .then(
      () => false,
      () => true,
    )
  const done = await Promise.race([work.then(() => true), late])
  stop.abort()
  return done
}
