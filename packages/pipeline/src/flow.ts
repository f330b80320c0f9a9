import type { AgentInput, ReplyOptions } from "@agentscope-ts/agent"
import { isThenable, type Msg, type Reply, type Resume, untilAbort } from "@agentscope-ts/message"
import type { PipelineRun } from "./pipeline-run.ts"
import type { Place, Resumption } from "./place.ts"
import type { AnyStep, StepOutput } from "./step.ts"
import { allTold } from "./told.ts"

/**
 * What came of a part of a pipeline: what was said last (nothing where nobody was asked: what came in then goes on), where
 * calls wait, and whether the pipeline ends here.
 */
export interface Outcome {
  readonly said?: StepOutput | undefined
  readonly place?: Place | undefined
  readonly over?: boolean | undefined
}

/** How a pipeline asks its steps; `from` is where it goes on after a wait. */
export type Walk = (flow: Flow, input: readonly Msg[], from: Resumption | undefined) => Promise<Outcome>

/** The pipelines of this package, by which they nest without each telling its own stream. */
export const walks = new WeakMap<object, Walk>()

/** Whether nothing more is asked after this. */
export const ends = ({ place, over }: Outcome): boolean => place !== undefined || over === true

/** What was said, as the next one's input. */
export const asInput = (said: StepOutput): readonly Msg[] => ("role" in said ? [said] : said)

/** The message that a condition is shown. */
export const lastOf = (messages: readonly Msg[]): Msg | undefined => messages.at(-1)

/** One walk through a pipeline: its options, and the stream that it is told in. */
export class Flow {
  readonly options: ReplyOptions
  readonly run: PipelineRun<StepOutput> | undefined
  /** Whether an agent took its answers: the place that they were for is no longer where the pipeline is. */
  resumed = false
  readonly #root: Flow

  constructor(options: ReplyOptions, run: PipelineRun<StepOutput> | undefined, root?: Flow) {
    this.options = options
    this.run = run
    this.#root = root ?? this
  }

  /** The same walk under another signal. */
  under(signal: AbortSignal): Flow {
    return new Flow({ ...this.options, signal }, this.run, this.#root)
  }

  /** Lets a step take its turn. It gets a copy of its own of what others said. */
  async take(step: AnyStep, input: readonly Msg[], from?: Resumption): Promise<Outcome> {
    this.options.signal?.throwIfAborted()
    // the consumer of the stream has gone
    if (this.run?.leaving.aborted) return { over: true }
    const walk = walks.get(step)
    if (walk) return walk(this, input, from)
    const said = await this.#ask(step, from ? from.answers : inputOf(allTold(input)))
    if (from) this.#root.resumed = true
    const replies = asInput(said) as readonly Reply<unknown>[]
    const waits = replies.filter(isWaiting).flatMap(({ pending }) => pending ?? [])
    if (replies.some(isWaiting)) return { said, place: { waits } }
    return { said, over: replies.length > 0 && replies.every(isCutShort) }
  }

  /** Asks the program; no longer than until the walk is given up. */
  async decide<T>(question: () => T | Promise<T>): Promise<T> {
    this.options.signal?.throwIfAborted()
    const answer = question()
    if (!isThenable(answer)) return answer
    return untilAbort(untilAbort(answer, this.options.signal), this.run?.leaving)
  }

  #ask(step: AnyStep, input: AgentInput | Resume | undefined): Promise<StepOutput> {
    return this.run ? this.run.follow(step.stream(input, this.options)) : step.reply(input, this.options)
  }
}

const inputOf = (messages: readonly Msg[]): AgentInput | undefined => (messages.length > 1 ? messages : messages[0])

/** Whether a reply has calls that wait for somebody. */
export const isWaiting = ({ finishReason }: Msg): boolean =>
  finishReason === "approval_required" || finishReason === "tool_suspended"

// an answer of the kind that nobody should build on
const isCutShort = ({ finishReason }: Msg) => finishReason === "interrupted" || finishReason === "budget_exceeded"
