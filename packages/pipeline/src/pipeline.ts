import { type AgentInput, Budget, isResume, messagesOf, type ReplyOptions } from "@agentscope-ts/agent"
import type { JsonValue, PendingCall, Resume } from "@agentscope-ts/message"
import { type StateCodec, StateModule } from "@agentscope-ts/state"
import { Flow, lastOf, type Walk, walks } from "./flow.ts"
import { answersOf } from "./input.ts"
import { checkNames } from "./options.ts"
import { pipelineError } from "./pipeline-error.ts"
import { PipelineRun } from "./pipeline-run.ts"
import { asPlace, checkAnswers, type Place, waitingAt } from "./place.ts"
import type { Step, StepOutput, StepRun } from "./step.ts"

/** The names of the options of a turn. */
export const replyOptionNames: readonly string[] = ["signal", "context", "budget"] satisfies (keyof ReplyOptions)[]

/**
 * What all pipelines share: they take their turn like an agent, so that they nest and stream. Where calls of an agent wait,
 * the turn ends with that agent's reply; `reply` with the answers goes on from there. The place is state: with the agents'
 * it can be saved, and another process goes on.
 */
export abstract class Pipeline<Out extends StepOutput> extends StateModule implements Step<Out> {
  readonly name: string
  readonly #walk: Walk
  #place: Place | undefined

  protected constructor(name: string, walk: Walk) {
    super()
    this.name = name
    this.#walk = walk
    walks.set(this, walk)
  }

  /** The calls that wait, of all the agents in it. */
  get pending(): readonly PendingCall[] {
    return this.#place ? waitingAt(this.#place) : []
  }

  /**
   * Takes a turn. Answers to pending calls go on where the pipeline waits, as does a call without input while it waits; a new
   * message begins from the start. A budget given as limits is one pool for all.
   * @throws AgentScopeError `unknown_pending` for answers that fit no waiting call, `no_message` when nobody was asked and
   * there was no input; what an agent or a condition throws; the signal's reason when it aborts.
   */
  reply(input?: AgentInput | Resume, options?: ReplyOptions): Promise<Out> {
    return this.#turn(input, options)
  }

  /** The same, told as it happens: the events of all its agents. It begins at once; leaving early interrupts who is on. */
  stream(input?: AgentInput | Resume, options?: ReplyOptions): StepRun<Out> {
    const run = new PipelineRun<Out>()
    return run.promise(this.#turn(input, options, run))
  }

  protected override stateCodecs(): Readonly<Record<string, StateCodec>> {
    return {
      ...super.stateCodecs(),
      place: {
        save: () => (this.#place ?? null) as unknown as JsonValue,
        load: (value) => {
          this.#place = value === null ? undefined : asPlace(value)
        },
      },
    }
  }

  async #turn(
    input: AgentInput | Resume | undefined,
    options: ReplyOptions = {},
    run?: PipelineRun<Out>,
  ): Promise<Out> {
    try {
      const said = await this.#said(input, options, run)
      run?.end()
      return said as Out
    } catch (error) {
      run?.fail(error)
      throw error
    }
  }

  async #said(
    input: AgentInput | Resume | undefined,
    options: ReplyOptions,
    run: PipelineRun<Out> | undefined,
  ): Promise<StepOutput> {
    checkNames(`${this.name}.reply`, options, replyOptionNames)
    const { budget } = options
    const isLimits = budget !== undefined && !(budget instanceof Budget)
    const flow = new Flow(isLimits ? { ...options, budget: new Budget(budget) } : options, run)
    const answers = answersOf(input)
    if (this.#place && answers) return this.#goOn(flow, { place: this.#place, answers })
    if (isResume(input)) {
      throw pipelineError("unknown_pending", `${this.name}: nothing waits for an answer: ask it something first.`)
    }
    const messages = messagesOf(this.name, input)
    this.#place = undefined
    const { said, place } = await this.#walk(flow, messages, undefined)
    this.#place = place
    const last = said ?? lastOf(messages)
    if (last) return last
    flow.run?.leaving.throwIfAborted()
    throw pipelineError("no_message", `${this.name}: nobody was asked, and there was no input to give back.`)
  }

  async #goOn(flow: Flow, from: { readonly place: Place; readonly answers: Resume }): Promise<StepOutput> {
    checkAnswers(this.name, from.place, from.answers)
    try {
      const { said, place } = await this.#walk(flow, [], from)
      this.#place = place
      if (said) return said
    } catch (error) {
      // an answer that was refused leaves all as it was
      if (flow.resumed) this.#place = undefined
      throw error
    }
    flow.run?.leaving.throwIfAborted()
    throw pipelineError("no_message", `${this.name}: nobody said anything.`)
  }
}
