import { untilAbort } from "@agentscope-ts/message"
import { agentError } from "../agent-error.ts"
import type { Run } from "./agent-run.ts"

/** An agent gives one reply at a time: who is on, and who waits. */
export class Turns {
  current: Run | undefined
  readonly #queues: boolean
  #waiting: { readonly run: Run; readonly start: () => void }[] | undefined

  constructor(queues: boolean) {
    this.#queues = queues
  }

  /**
   * Takes the turn: at once when nobody is on, so that of two calls in one tick only one begins; else by a promise. Calls of
   * tools wait in any case: a model cannot know who else asks.
   */
  take(run: Run, where: string): Promise<void> | undefined {
    if (this.current === undefined) {
      this.current = run
      return undefined
    }
    if (!this.#queues && run.visit === undefined) {
      throw agentError(
        "agent_busy",
        `${where} is answering already: wait for its reply, interrupt it, give it whenBusy: "queue", or use another instance for another conversation.`,
      )
    }
    const waiting = (this.#waiting ??= [])
    const turn = new Promise<void>((resolve) => waiting.push({ run, start: resolve }))
    const { signal } = run.options
    return untilAbort(turn, signal, () => {
      this.#waiting = this.#waiting?.filter((entry) => entry.run !== run)
      return signal?.reason
    })
  }

  /** Gives the turn to the one who has waited longest. */
  pass(): void {
    const next = this.#waiting?.shift()
    this.current = next?.run
    next?.start()
  }
}
