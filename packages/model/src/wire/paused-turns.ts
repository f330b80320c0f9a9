import { assistantMsg, type ChatDelta } from "@agentscope-ts/message"
import type { ChatParams, ChatRequest } from "../chat-request.ts"
import type { Dialect } from "../history/dialect.ts"
import { guardHistory } from "../history/history-guard.ts"
import { BlockAssembler } from "../stream/block-assembler.ts"
import type { CallEnd, CallHead, CallSink, ToldUsage } from "../stream/call-sink.ts"

/** The code of the warning by which an answer says that it is to be sent back as it is, and then goes on. */
const paused = "turn_paused"
/** How often a turn goes on by itself. */
const most = 4

/** Tells that an answer was paused; {@link PausedTurns} hears it. */
export function warnPaused(sink: Pick<CallSink, "warn">, label: string): void {
  sink.warn(paused, `${label} paused its turn: send its answer back as it is, and it goes on.`)
}

/**
 * A sink for answers that a provider may pause, as it does while its own tools run for long: what was said is sent back, and
 * all answers are told as one. A turn that pauses too often, or has a call in it, ends with the warning `turn_paused`.
 */
export class PausedTurns implements CallSink {
  readonly streaming: boolean
  readonly #sink: CallSink
  readonly #blocks = new BlockAssembler()
  readonly #warnings = new Set<string>()
  /** The index of the first block of this answer, and that of the next one's. */
  #from = 0
  #next = 0
  /** What the answers before took, and this one so far. */
  #before: ToldUsage | undefined
  #usage: ToldUsage | undefined
  /** The words of the warning. */
  #paused: string | undefined
  #goesOn = false
  #times = 0

  constructor(sink: CallSink) {
    this.streaming = sink.streaming
    this.#sink = sink
  }

  /** Posts a request, and again with what was said, until the turn is over. */
  async run<P extends ChatParams>(
    request: ChatRequest<P>,
    dialect: Dialect,
    post: (request: ChatRequest<P>) => Promise<void>,
  ): Promise<void> {
    await post(request)
    const name = request.messages.findLast(({ role }) => role === "assistant")?.name ?? "assistant"
    while (this.#goesOn) {
      this.#turn()
      const said = assistantMsg(this.#blocks.content(), { name })
      // it is no part of the conversation, whose body goes on without it
      const messages = guardHistory([...request.messages, said], dialect)
      await post({ ...request, conversation: undefined, messages })
    }
  }

  begin({ id, usage }: CallHead): void {
    if (usage) this.#usage = usage
    this.#sink.begin({ id, usage: usage && this.#total() })
  }

  warn(code: string, message: string): void {
    if (code === paused) this.#paused = message
    else if (!this.#warnings.has(message)) this.#sink.warn(code, message)
    this.#warnings.add(message)
  }

  emit(delta: ChatDelta): void {
    const index = this.#from + delta.index
    this.#next = Math.max(this.#next, index + 1)
    const moved = this.#from === 0 ? delta : { ...delta, index }
    this.#blocks.add(moved)
    this.#sink.emit(moved)
  }

  finish(end: CallEnd): void {
    if (end.usage) this.#usage = end.usage
    const calls = this.#blocks.closeAll(false)
    this.#goesOn = this.#paused !== undefined && this.#times < most && !calls && this.#next > 0
    if (this.#goesOn) return
    if (this.#paused !== undefined) this.#sink.warn(paused, this.#paused)
    this.#sink.finish({ ...end, usage: this.#total() })
  }

  #turn(): void {
    this.#times++
    this.#goesOn = false
    this.#paused = undefined
    this.#from = this.#next
    this.#before = this.#total()
    this.#usage = undefined
  }

  #total(): ToldUsage | undefined {
    const figures = [this.#before, this.#usage].flatMap((usage) => Object.entries(usage ?? {}) as [string, number?][])
    const sums: Record<string, number> = {}
    for (const [name, figure] of figures) if (figure !== undefined) sums[name] = (sums[name] ?? 0) + figure
    return figures.length > 0 ? sums : undefined
  }
}
