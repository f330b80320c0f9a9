import { type ChildProcess, spawn } from "node:child_process"

/** The groups of servers that run: they are told to end when this process ends without having closed them. */
const running = new Set<number>()

function endAll(): void {
  for (const pid of running) signalTree(pid, "SIGTERM")
}

/** Remembers a child that was started in a group of its own, until it is gone. */
export function watchTree(child: ChildProcess): void {
  const { pid } = child
  if (pid === undefined) return
  if (running.size === 0) process.once("exit", endAll)
  running.add(pid)
  child.once("exit", () => {
    running.delete(pid)
    if (running.size === 0) process.off("exit", endAll)
  })
}

/** Sends a signal to a child and to all that it started; what is gone is gone. */
export function signalTree(pid: number, signal: "SIGTERM" | "SIGKILL"): void {
  if (process.platform === "win32") {
    // Windows knows no groups of processes
    spawn("taskkill", ["/pid", `${pid}`, "/t", "/f"], { stdio: "ignore", windowsHide: true }).on("error", () => {})
    return
  }
  try {
    process.kill(-pid, signal)
  } catch {
    // nobody is left
  }
}
