import { type ChildProcess, execFile, spawn } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"

/** The variable that marks a command and everything it starts. */
export const runVariable = "AGENTSCOPE_RUN"

/** How long a process may take to end when it is asked to, in milliseconds. */
const graceMs = 2000

function send(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(target, signal)
    return true
  } catch {
    return false // gone
  }
}

/** What `/proc/N/stat` says: `undefined` when the process is gone, or dead and only not collected yet. */
function liveGroupOf(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return state === "Z" || state === "X" ? undefined : Number(group)
  } catch {
    return undefined
  }
}

function hasMark(pid: string, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").includes(mark)
  } catch {
    return false // gone, or another user's
  }
}

/** Everything that a command started: its process group and, on Linux, what left the group but carries the mark. */
export class ProcessGroup {
  readonly #child: ChildProcess
  readonly #mark: string

  /** The child must have been started `detached` and with {@link runVariable} set to `run`. */
  constructor(child: ChildProcess, run: string) {
    this.#child = child
    this.#mark = `${runVariable}=${run}`
  }

  /** The processes that still run; on other systems than Linux the group as a whole, as a negative number. */
  members(): readonly number[] {
    const { pid } = this.#child
    if (pid === undefined) return []
    if (process.platform === "win32")
      return this.#child.exitCode === null && this.#child.signalCode === null ? [pid] : []
    const all = listProcesses()
    if (all === undefined) return send(-pid, 0) ? [-pid] : []
    const own = String(process.pid)
    return all.flatMap((each) => {
      const group = each === own ? undefined : liveGroupOf(each)
      return group !== undefined && (group === pid || hasMark(each, this.#mark)) ? [Number(each)] : []
    })
  }

  #signal(signal: NodeJS.Signals, members: readonly number[]): void {
    const { pid } = this.#child
    if (pid === undefined) return
    if (process.platform === "win32") {
      execFile("taskkill", ["/pid", String(pid), "/T", "/F"], () => {})
      return
    }
    send(-pid, signal)
    for (const member of members) if (member > 0) send(member, signal)
  }

  /**
   * Ends all of it: SIGTERM, then SIGKILL for what is still there after two seconds, until nothing is left. Returns how many
   * processes there were.
   */
  async end(): Promise<number> {
    const first = this.members()
    if (first.length === 0) return 0
    this.#signal("SIGTERM", first)
    const deadline = performance.now() + graceMs
    for (let pause = 5; performance.now() < deadline; pause = Math.min(100, pause * 2)) {
      await sleep(pause)
      if (this.members().length === 0) return first.length
    }
    // again and again: a process that forks may be quicker than one look
    for (let i = 0; i < 20; i++) {
      const left = this.members()
      if (left.length === 0) break
      this.#signal("SIGKILL", left)
      await sleep(10 + i * 10)
    }
    return first.length
  }
}

function listProcesses(): readonly string[] | undefined {
  if (process.platform !== "linux") return undefined
  try {
    const names = readdirSync("/proc").filter((name) => /^\d+$/.test(name))
    return names.length > 0 ? names : undefined
  } catch {
    return undefined
  }
}

/**
 * Starts a guard that ends a process group when this program is gone, however it went (an uncaught error, Ctrl-C, SIGKILL):
 * a small shell that waits for the end of its input. The returned function sends it away.
 */
export function guardGroup(pid: number): () => void {
  if (process.platform === "win32") return () => {}
  const script = 'read -r _ || { kill -s TERM -- "-$1"; sleep 2; kill -s KILL -- "-$1"; }'
  const guard = spawn("/bin/sh", ["-c", script, "agentscope-guard", String(pid)], {
    cwd: "/",
    detached: true,
    env: {},
    stdio: ["pipe", "ignore", "ignore"],
  })
  // without a /bin/sh there is no guard; the command itself still is ended as long as this program runs
  guard.on("error", () => {})
  guard.stdin.on("error", () => {})
  guard.unref()
  return () => {
    guard.stdin.end("done\n")
  }
}
