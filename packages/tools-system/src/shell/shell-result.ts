import { type ToolResponse, toolResponse } from "@agentscope-ts/tool"
import type { ProcessOutcome } from "../process/run-process.ts"

/** How a command or a program ended, for programs; the model sees the same as text. */
export type ShellResult = {
  /** The exit code; the negative number of the signal that ended it; -1 after a timeout. */
  returncode: number
  stdout: string
  stderr: string
  /** Whether the time limit ended it. */
  timedOut: boolean
}

/** How a command ended, and where all of its output is. */
export type CommandOutcome = ProcessOutcome & { readonly note?: string | undefined }

const seconds = (ms: number): string => String(ms / 1000)

/** What a program's end says beside its own output. */
function notes(outcome: CommandOutcome, what: "command" | "code", timeoutMs: number): string[] {
  const lines: string[] = []
  if (outcome.timedOut)
    lines.push(`TimeoutError: The ${what} execution exceeded the timeout of ${seconds(timeoutMs)} seconds.`)
  if (outcome.leftBehind > 0) {
    const count = outcome.leftBehind === 1 ? "1 process" : `${outcome.leftBehind} processes`
    lines.push(`Note: ${count} still running in the background ended with the ${what}.`)
  }
  if (outcome.note !== undefined) lines.push(outcome.note)
  return lines
}

/** `<returncode>N</returncode><stdout>…</stdout><stderr>…</stderr>`, and the same as a value. */
export function shellResponse(
  outcome: CommandOutcome,
  what: "command" | "code",
  timeoutMs: number,
): ToolResponse<ShellResult> {
  const { returncode, stdout, timedOut } = outcome
  const stderr = [outcome.stderr.replace(/\n$/, ""), ...notes(outcome, what, timeoutMs)]
    .filter((part) => part !== "")
    .join("\n")
  const text = `<returncode>${returncode}</returncode><stdout>${stdout}</stdout><stderr>${stderr}</stderr>`
  return toolResponse(text, {
    structured: { returncode, stdout, stderr, timedOut },
    state: timedOut ? "error" : "success",
  })
}

/** The answer to a command that `approve` refused. */
export function refusedResponse(): ToolResponse<ShellResult> {
  const stderr =
    "SecurityError: The command was refused and did not run. Do not try it again in other words; ask the user."
  return toolResponse(`<returncode>-1</returncode><stdout></stdout><stderr>${stderr}</stderr>`, {
    structured: { returncode: -1, stdout: "", stderr, timedOut: false },
    state: "denied",
  })
}

/** The same as plain text, errors after output, as a terminal shows it. */
export function terminalResponse(outcome: CommandOutcome, timeoutMs: number): ToolResponse<ShellResult> {
  const { returncode, stdout, stderr, timedOut } = outcome
  const ended = returncode === 0 || timedOut ? [] : [`Exit code ${returncode}`]
  const parts = [stdout, stderr, ...notes(outcome, "command", timeoutMs), ...ended].map((part) =>
    part.replace(/\n$/, ""),
  )
  const text = parts.filter((part) => part !== "").join("\n") || "(no output)"
  return toolResponse(text, {
    structured: { returncode, stdout, stderr, timedOut },
    state: returncode === 0 ? "success" : "error",
  })
}
