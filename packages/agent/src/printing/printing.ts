import { copyOf, EventQueue, isThenable } from "@agentscope-ts/message"
import type { AgentEvent } from "@agentscope-ts/message"
import type { Run } from "../base/agent-run.ts"
import { wrongAnswer } from "../hooks/run-hooks.ts"
import type { HookTable, TableHook } from "../hooks/hooks.ts"

type Given = { readonly event: AgentEvent }
type Print = (event: AgentEvent) => void

/**
 * Sends a run's events through the print hooks to the printer, in order, also where a hook takes its time: what comes
 * meanwhile waits, neighbouring deltas joined once it is much. Whatever fails here is a warning, and harms nobody else.
 */
export class Printing {
  readonly #agent: unknown
  readonly #run: Run
  readonly #hooks: () => HookTable | undefined
  readonly #print: Print | undefined
  /** Events behind one whose hooks take their time. */
  #queue: EventQueue<AgentEvent> | undefined
  #busy = false
  #pumping: Promise<void> | undefined
  /** Those that failed: each is told of once. */
  #failed: Set<unknown> | undefined

  /** `hooks` are asked for at each event: they may change while the agent runs. */
  constructor(agent: unknown, run: Run, hooks: () => HookTable | undefined, print: Print | undefined) {
    this.#agent = agent
    this.#run = run
    this.#hooks = hooks
    this.#print = print
  }

  handle(event: AgentEvent): void {
    // what a hook or the printer causes comes after what it was called with
    if (this.#queue || this.#busy) {
      this.#queue ??= new EventQueue()
      this.#queue.push(event)
      return
    }
    this.#busy = true
    const work = this.#through(event)
    this.#busy = false
    if (work || this.#queue) this.#pumping = this.#pump(work, (this.#queue ??= new EventQueue()))
  }

  /** Waits until everything is printed. */
  async finished(): Promise<void> {
    while (this.#pumping) await this.#pumping
  }

  async #pump(first: Promise<void> | undefined, queue: EventQueue<AgentEvent>): Promise<void> {
    await first
    while (queue.size > 0) {
      const { value } = await queue.next()
      await this.#through(value as AgentEvent)
    }
    this.#queue = undefined
    this.#pumping = undefined
  }

  /** No promise as long as no hook returns one. */
  #through(event: AgentEvent): Promise<void> | undefined {
    const pre = this.#hooks()?.prePrint ?? []
    let input: Given = { event }
    for (const [i, hook] of pre.entries()) {
      const answer = this.#call(hook, input)
      if (isThenable(answer)) return this.#slowly(answer, input, pre.slice(i))
      if (answer === null) return undefined
      input = this.#taken(hook, answer) ?? input
    }
    return this.#out(input)
  }

  async #slowly(first: PromiseLike<unknown>, given: Given, hooks: readonly TableHook[]): Promise<void> {
    let input = given
    for (const [i, hook] of hooks.entries()) {
      const answer = await this.#settled(hook.call, i === 0 ? first : this.#call(hook, input))
      if (answer === null) return
      input = this.#taken(hook, answer) ?? input
    }
    await this.#out(input)
  }

  #out(input: Given): Promise<void> | undefined {
    try {
      // one that is told to return nothing may well be an async function
      const printed: unknown = this.#print?.(input.event)
      if (isThenable(printed)) void this.#settled(this.#print, printed)
    } catch (error) {
      this.#warn(this.#print, "The print function", error)
    }
    const waits: Promise<unknown>[] = []
    for (const hook of this.#hooks()?.postPrint ?? []) {
      const answer = this.#call(hook, input)
      if (isThenable(answer)) waits.push(this.#settled(hook.call, answer))
    }
    return waits.length === 0 ? undefined : Promise.all(waits).then(() => {})
  }

  /** What a hook made of the event; an answer that is no event leaves it. */
  #taken(hook: TableHook, answer: unknown): Given | undefined {
    if (answer === undefined) return undefined
    const given = answer as Partial<Given>
    if (typeof given === "object" && typeof given.event?.type === "string") return answer as Given
    const what = wrongAnswer(
      "prePrint",
      hook,
      this.#agent,
      typeof given === "object" ? new Error("its event is none.") : answer,
    )
    this.#warn(hook.call, "A print hook", what)
    return undefined
  }

  #call({ call }: TableHook, input: Given): unknown {
    try {
      return call({ agent: this.#agent, input: copyOf(input), output: undefined })
    } catch (error) {
      this.#warn(call, "A print hook", error)
      return undefined
    }
  }

  async #settled(of: unknown, answer: unknown): Promise<unknown> {
    try {
      return await answer
    } catch (error) {
      this.#warn(of, of === this.#print ? "The print function" : "A print hook", error)
      return undefined
    }
  }

  #warn(of: unknown, what: string, error: unknown): void {
    const failed = (this.#failed ??= new Set())
    if (failed.has(of)) return
    failed.add(of)
    this.#run.listenerFailed(what, error)
  }
}
