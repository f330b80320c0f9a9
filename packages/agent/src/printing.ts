import { copyOf, isThenable } from "@agentscope-ts/message"
import type { AgentEvent } from "@agentscope-ts/message"
import type { Run } from "./agent-run.ts"
import type { AnyHook, HookTable } from "./hooks.ts"

/** Sends a run's events through the print hooks to the printer, in order, also where a hook takes its time. */
export class Printing {
  readonly #agent: unknown
  readonly #run: Run
  readonly #pre: readonly AnyHook[]
  readonly #post: readonly AnyHook[]
  readonly #print: ((event: AgentEvent) => void) | undefined
  /** What is still on its way; events after it wait for it. */
  #tail: Promise<void> | undefined
  #failure: { readonly error: unknown } | undefined

  constructor(
    agent: unknown,
    run: Run,
    hooks: HookTable | undefined,
    print: ((event: AgentEvent) => void) | undefined,
  ) {
    this.#agent = agent
    this.#run = run
    this.#pre = hooks?.prePrint ?? []
    this.#post = hooks?.postPrint ?? []
    this.#print = print
  }

  handle(event: AgentEvent): void {
    if (this.#tail) {
      this.#wait(this.#tail.then(() => this.#through(event)))
      return
    }
    try {
      const work = this.#through(event)
      if (work) this.#wait(work)
    } catch (error) {
      this.#failed(error)
    }
  }

  /** Waits until everything is printed; rejects with what made the printing fail. */
  async finished(): Promise<void> {
    while (this.#tail) await this.#tail
    if (this.#failure) throw this.#failure.error
  }

  #wait(work: Promise<void>): void {
    const tail: Promise<void> = work
      .catch((error: unknown) => this.#failed(error))
      .then(() => {
        if (this.#tail === tail) this.#tail = undefined
      })
    this.#tail = tail
  }

  /** A printer that fails stops the run: its reply rejects with what was thrown first. */
  #failed(error: unknown): void {
    this.#failure ??= { error }
    this.#run.stop({ kind: "failure", reason: error })
  }

  /** No promise as long as no hook returns one. */
  #through(event: AgentEvent): Promise<void> | undefined {
    let input: { readonly event: AgentEvent } = { event }
    for (let i = 0; i < this.#pre.length; i++) {
      const answer = this.#call(this.#pre[i], input)
      if (isThenable(answer)) return this.#slowly(answer, input, i + 1)
      if (answer === null) return undefined
      if (answer !== undefined) input = answer as typeof input
    }
    return this.#out(input)
  }

  async #slowly(first: PromiseLike<unknown>, given: { readonly event: AgentEvent }, from: number): Promise<void> {
    let input = given
    let answer = await first
    for (let i = from; ; i++) {
      if (answer === null) return
      if (answer !== undefined) input = answer as typeof input
      if (i === this.#pre.length) break
      answer = await this.#call(this.#pre[i], input)
    }
    await this.#out(input)
  }

  #out(input: { readonly event: AgentEvent }): Promise<void> | undefined {
    this.#print?.(input.event)
    const waits: unknown[] = this.#post.map((hook) => this.#call(hook, input)).filter(isThenable)
    return waits.length === 0 ? undefined : Promise.all(waits).then(() => {})
  }

  #call(hook: AnyHook | undefined, input: { readonly event: AgentEvent }): unknown {
    return hook?.({ agent: this.#agent, input: copyOf(input), output: undefined })
  }
}
