import { existsSync } from "node:fs"
import type { ReActAgent } from "@agentscope-ts/agent"
import { didYouMean } from "@agentscope-ts/message"
import { Asking } from "./approval.ts"
import { status } from "./once.ts"
import { problemText } from "./problem.ts"
import type { Screen } from "./screen.ts"
import { LineInput, type Typed } from "./terminal/line-input.ts"
import { Turn } from "./turn.ts"

const commands: Readonly<Record<string, "help" | "clear" | "leave">> = {
  "/help": "help",
  "/clear": "clear",
  "/exit": "leave",
  "/quit": "leave",
}

const help = `/help   this text
/clear  forget the conversation and begin a new one
/exit   leave

Anything else is for Friday. Ctrl-C interrupts an answer, a second one
leaves; so does Ctrl-D. Shell commands, Python and writes are shown first:
y runs one, a runs it and its like from now on, n refuses it (a reason may
follow), e changes it.`

/** What the prompt needs. */
export interface PromptOptions {
  /** A new agent with an empty memory. */
  readonly create: () => ReActAgent
  readonly screen: Screen
  readonly input: NodeJS.ReadStream
  readonly output: NodeJS.WriteStream
}

/** The conversation at the prompt, until the person leaves. */
export class Prompt {
  readonly #options: PromptOptions
  readonly #lines: LineInput
  #agent: ReActAgent
  #turn: Turn | undefined
  /** The last thing was a Ctrl-C: the next one leaves. */
  #warned = false

  constructor(options: PromptOptions) {
    this.#options = options
    this.#agent = options.create()
    this.#lines = new LineInput(options.input, options.output, () => this.#interrupt())
  }

  /** Runs until the person leaves, and gives the exit status. */
  async run(): Promise<number> {
    const { screen } = this.#options
    const onSignal = (): void => this.#lines.interrupt()
    process.on("SIGINT", onSignal)
    try {
      for (;;) {
        const typed = await this.#next()
        if (typed === undefined) return status.answered
        if (typed !== "") await this.#answer(typed)
      }
    } finally {
      process.off("SIGINT", onSignal)
      this.#lines.close()
      screen.activity.endLine()
    }
  }

  /** The next question; empty when there is none yet, `undefined` to leave. */
  async #next(): Promise<string | undefined> {
    const { activity } = this.#options.screen
    activity.reset()
    activity.line()
    const typed: Typed = await this.#lines.ask(`${activity.style(["bold", "green"], "›")} `)
    if (typed.type === "end") return undefined
    if (typed.type === "interrupt") {
      if (typed.empty && this.#warned) return undefined
      this.#warned = true
      activity.line(activity.style("dim", "Ctrl-C again to leave."))
      return ""
    }
    this.#warned = false
    const text = typed.text.trim()
    return text.startsWith("/") && !text.includes("\n") ? this.#command(text) : text
  }

  #command(text: string): string | undefined {
    const { activity } = this.#options.screen
    const word = text.split(/\s/u, 1)[0] ?? text
    // a path may be what is meant: "/etc/hosts: what is this?"
    if (!/^\/[\w-]*$/u.test(word) || (word !== "/" && existsSync(word))) return text
    const command = Object.keys(commands).find((name) => name === word.toLowerCase())
    if (command === undefined) {
      const meant = didYouMean(word, Object.keys(commands))
      activity.line(`There is no command ${word}.${meant} /help says what there is.`)
    } else if (word !== text) {
      activity.line(`${command} stands alone: nothing was sent, and nothing done.`)
    } else if (commands[command] === "leave") return undefined
    else if (commands[command] === "help") activity.line(`\n${help}`)
    else {
      this.#agent = this.#options.create()
      activity.line(activity.style("dim", "A new conversation."))
    }
    return ""
  }

  async #answer(question: string): Promise<void> {
    const { screen } = this.#options
    const { decide } = new Asking(this.#lines, screen.activity)
    const onDecision = screen.decided.bind(screen)
    const turn = new Turn(this.#agent, (event) => screen.show(event), decide, onDecision)
    this.#turn = turn
    screen.activity.line()
    try {
      const reply = await turn.answer(question)
      if (reply === undefined) {
        this.#warned = true
        screen.note("Interrupted.")
        this.#drop()
      } else if (reply.finishReason === "interrupted") this.#warned = true
    } catch (error) {
      screen.note(problemText(error))
    } finally {
      this.#turn = undefined
      screen.end()
    }
  }

  /** Ctrl-C while Friday works: the first interrupts, the second leaves. */
  #interrupt(): void {
    if (this.#turn === undefined) process.exit(status.interrupted)
    if (!this.#turn.interrupt()) process.exit(status.interrupted)
    this.#drop()
  }

  /** Whoever stops an answer does not want what was typed for afterwards either. */
  #drop(): void {
    for (const line of this.#lines.discard()) this.#options.screen.note(`(dropped: ${line})`)
  }
}
