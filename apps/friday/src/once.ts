import type { ReActAgent } from "@agentscope-ts/agent"
import { type AgentEvent, errorJson, type Reply } from "@agentscope-ts/message"
import { Asking, type Decide, denyUnasked } from "./approval.ts"
import { problemText } from "./problem.ts"
import type { Screen } from "./screen.ts"
import { revealLine } from "./terminal/clean-text.ts"
import { LineInput } from "./terminal/line-input.ts"
import { Turn } from "./turn.ts"

/** Exit statuses, as `--help` tells them. */
export const status = { answered: 0, failed: 1, usage: 2, stopped: 3, interrupted: 130 } as const

/** How a question that is answered once is shown and asked about. */
export interface OnceOptions {
  readonly screen: Screen
  /** Prints events instead of text. */
  readonly json: boolean
  /** The terminal to ask on, if there is one. */
  readonly terminal?: { readonly input: NodeJS.ReadStream; readonly output: NodeJS.WriteStream }
}

const statusOf = (reply: Reply | undefined): number => {
  if (reply === undefined || reply.finishReason === "interrupted") return status.interrupted
  return reply.finishReason === "completed" ? status.answered : status.stopped
}

/** What a signal does while the person is being asked. */
type Asked = { input?: LineInput | undefined }

/** Asks on the terminal, which is taken for that time only: Ctrl-C and what is typed ahead stay the shell's otherwise. */
function askingOn(terminal: NonNullable<OnceOptions["terminal"]>, screen: Screen, asked: Asked): Decide {
  return async (call) => {
    const input = new LineInput(terminal.input, terminal.output, () => {})
    asked.input = input
    try {
      return await new Asking(input, screen.activity).decide(call)
    } finally {
      asked.input = undefined
      input.close()
    }
  }
}

/** Answers one question and gives the exit status. */
export async function answerOnce(
  agent: ReActAgent,
  question: string,
  { screen, json, terminal }: OnceOptions,
): Promise<number> {
  let failed = false
  const denied: string[] = []
  const asked: Asked = {}
  const onEvent = (event: AgentEvent): void => {
    failed ||= event.type === "error"
    if (event.type === "tool_result" && event.result.state === "denied") denied.push(event.toolUse.name)
    if (json) process.stdout.write(`${JSON.stringify(event)}\n`)
    else screen.show(event)
  }
  const turn = new Turn(
    agent,
    onEvent,
    terminal ? askingOn(terminal, screen, asked) : denyUnasked,
    screen.decided.bind(screen),
  )
  const onSignal = (): void => {
    if (asked.input) return asked.input.interrupt()
    if (!turn.interrupt()) process.exit(status.interrupted)
    // the terminal has drawn "^C" where the cursor stood
    if (screen.activity.isTerminal) screen.activity.write("\n")
  }
  process.on("SIGINT", onSignal)
  try {
    const reply = await turn.answer(question)
    screen.end()
    // the answer says so whatever the model made of it
    if (!terminal && denied.length > 0 && !json) {
      screen.answer.line(
        `Not run, because there is no terminal to ask on: ${denied.map(revealLine).join(", ")}. --yes or --allow RULE lets it run.`,
      )
    }
    return statusOf(reply)
  } catch (error) {
    screen.end()
    if (json && !failed) process.stdout.write(`${JSON.stringify({ type: "error", error: errorJson(error) })}\n`)
    process.stderr.write(`friday: ${problemText(error)}\n`)
    return status.failed
  } finally {
    process.off("SIGINT", onSignal)
  }
}
