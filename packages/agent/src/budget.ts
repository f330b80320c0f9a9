import { ambient, type ChatUsage } from "@agentscope-ts/message"
import { checkNames, checkOption } from "./options.ts"

/**
 * What may be spent. `tokens` is input plus output; `costUsd` counts where the model's price is known; `timeMs` is wall time
 * during replies; `modelCalls` and `toolCalls` are counts. What is left out has no limit.
 */
export interface BudgetLimits {
  tokens?: number | undefined
  costUsd?: number | undefined
  timeMs?: number | undefined
  modelCalls?: number | undefined
  toolCalls?: number | undefined
}

const names = ["tokens", "costUsd", "timeMs", "modelCalls", "toolCalls"] as const

/**
 * One pool that any number of agents spend from. When a limit is reached, the reply that meets it ends with
 * `budget_exceeded`. Time counts while at least one reply is running, once for several at a time.
 * @throws AgentScopeError `invalid_argument` for an unknown limit, or one that is no number of at least 0.
 */
export class Budget {
  readonly limits: Readonly<BudgetLimits>
  #tokens = 0
  #costUsd = 0
  #modelCalls = 0
  #toolCalls = 0
  #earlierMs = 0
  #running = 0
  #since = 0

  constructor(limits: BudgetLimits) {
    checkNames("Budget", limits, names)
    for (const name of names) {
      const limit = limits[name]
      checkOption("Budget", name, limit, typeof limit === "number" && limit >= 0, "a number of at least 0")
    }
    this.limits = { ...limits }
  }

  /** What has been spent so far, by everybody. */
  get spent(): Required<{ [K in keyof BudgetLimits]: number }> {
    const timeMs = this.#earlierMs + (this.#running > 0 ? ambient().now() - this.#since : 0)
    return {
      tokens: this.#tokens,
      costUsd: this.#costUsd,
      timeMs,
      modelCalls: this.#modelCalls,
      toolCalls: this.#toolCalls,
    }
  }

  /** The first limit that is reached: nothing more of its kind may be spent. `toolCalls` stops tool calls only. */
  reached(kind: "model" | "tool"): keyof BudgetLimits | undefined {
    const spent = this.spent
    return names.find((name) => {
      const limit = this.limits[name]
      if (limit === undefined || spent[name] < limit) return false
      return name === "modelCalls" ? kind === "model" : name === "toolCalls" ? kind === "tool" : true
    })
  }

  /** Milliseconds until the time is up; `undefined` without a limit of time. */
  get leftMs(): number | undefined {
    const { timeMs } = this.limits
    return timeMs === undefined ? undefined : Math.max(0, timeMs - this.spent.timeMs)
  }

  countModelCall(): void {
    this.#modelCalls++
  }

  countToolCall(): void {
    this.#toolCalls++
  }

  countUsage(usage: ChatUsage): void {
    this.#tokens += usage.inputTokens + usage.outputTokens
    this.#costUsd += usage.costUsd ?? 0
  }

  /** The clock runs from here until the function that this returns is called. */
  startClock(): () => void {
    if (this.#running++ === 0) this.#since = ambient().now()
    return () => {
      if (--this.#running === 0) this.#earlierMs += ambient().now() - this.#since
    }
  }
}

const units: Readonly<Record<keyof BudgetLimits, (limit: number) => string>> = {
  tokens: (limit) => `${limit} tokens`,
  costUsd: (limit) => `${limit} US dollars`,
  timeMs: (limit) => `${limit} ms`,
  modelCalls: (limit) => `${limit} model calls`,
  toolCalls: (limit) => `${limit} tool calls`,
}

/** `The budget of 3 model calls is used up.` */
export function budgetText(budget: Budget, limit: keyof BudgetLimits): string {
  return `The budget of ${units[limit](budget.limits[limit] ?? 0)} is used up.`
}
