import { describeValue, type JsonValue, type Msg } from "@agentscope-ts/message"
import { type StateCodec, StateModule } from "@agentscope-ts/state"
import type { AnyTool } from "@agentscope-ts/tool"
import { agentError } from "../agent-error.ts"
import { checkNames, checkOption } from "../options.ts"
import { checkText, newPlan, type Plan, type PlanInput, type PlanState, savedPlan, type SubtaskInput } from "./plan.ts"
import { planHint } from "./plan-hint.ts"
import { ended, indexOf, reopened, type Revision, revised, withOutcome, withState } from "./plan-rules.ts"
import { planTools } from "./plan-tools.ts"

/** Options of a {@link PlanNotebook}. */
export interface PlanNotebookOptions {
  /** How many subtasks a plan may have; 100 unless given. */
  maxSubtasks?: number | undefined
}

/** Hears of changes: the current plan, or `undefined` when there is none any more. */
export type PlanListener = (plan: Plan | undefined, notebook: PlanNotebook) => void | Promise<void>

/** How many plans the history keeps. */
const mostInHistory = 50

/**
 * Keeps an agent's plan: one is current, former ones are the history (the 50 newest; older ones are forgotten). As the `plan`
 * of a ReActAgent it gives the model tools and, in each request, a hint of what is next; alone it does the same by
 * {@link PlanNotebook.tools} and {@link PlanNotebook.hint}. A notebook belongs to one conversation, and is saved with it. Every
 * change of a plan makes a new one: what you hold of it stays as it was.
 *
 * The methods that change a plan throw `invalid_argument`, saying which rule it was, and change nothing then.
 */
export class PlanNotebook extends StateModule {
  readonly #maxSubtasks: number
  readonly #listeners = new Set<{ readonly listener: PlanListener }>()
  #current: Plan | undefined
  #history: readonly Plan[] = []
  #tools: readonly AnyTool[] | undefined

  constructor(options: PlanNotebookOptions = {}) {
    super()
    checkNames("PlanNotebook", options, ["maxSubtasks"])
    const { maxSubtasks } = options
    const isCount = maxSubtasks === Infinity || (Number.isInteger(maxSubtasks) && Number(maxSubtasks) >= 1)
    checkOption("PlanNotebook", "maxSubtasks", maxSubtasks, isCount, "a whole number of at least 1")
    this.#maxSubtasks = maxSubtasks ?? 100
  }

  /** The plan that is worked on. */
  get currentPlan(): Plan | undefined {
    return this.#current
  }

  /** The plans that were finished, abandoned or replaced, oldest first. */
  get history(): readonly Plan[] {
    return this.#history
  }

  /** The eight tools for a model, from `create_plan` to `recover_historical_plan`: the same ones each time. */
  tools(): readonly AnyTool[] {
    this.#tools ??= planTools(this, () => this.#plan())
    return this.#tools
  }

  /** What a model should be told in its next request and nowhere else: the plan and what is next, in `<system-hint>`. */
  hint(): Msg {
    return planHint(this.#current)
  }

  /**
   * Calls the listener after every change of the current plan, also by loading state; what it returns forgets it. A promise
   * is not waited for, and what a listener throws is dropped: it keeps nobody else from hearing, and no tool from working.
   */
  onChange(listener: PlanListener): () => void {
    const entry = { listener }
    this.#listeners.add(entry)
    return () => void this.#listeners.delete(entry)
  }

  /** Makes a plan the current one; one that was goes into the history as abandoned. */
  createPlan(input: PlanInput): Plan {
    const plan = newPlan(input, this.#maxSubtasks)
    return this.#replace(plan, this.#history)
  }

  /** Adds a subtask at an index (the number of subtasks: at the end), writes one anew, or deletes one. */
  reviseCurrentPlan(index: number | string, action: Revision, subtask?: SubtaskInput): Plan {
    return this.#put(revised(this.#plan(), indexOf(index), action, subtask, this.#maxSubtasks))
  }

  /** Moves a subtask to `todo`, `in_progress` or `abandoned`; it becomes `done` by {@link PlanNotebook.finishSubtask}. */
  updateSubtaskState(index: number | string, state: PlanState): Plan {
    return this.#put(withState(this.#plan(), indexOf(index), state))
  }

  /** Makes a subtask done, and the next one in progress. */
  finishSubtask(index: number | string, outcome: string): Plan {
    const plan = this.#plan()
    checkText("The outcome", outcome)
    return this.#put(withOutcome(plan, indexOf(index), outcome))
  }

  /** Ends the current plan, and gives it as it stands in the history. */
  finishPlan(state: "done" | "abandoned", outcome: string): Plan {
    const plan = this.#plan()
    if (state !== "done" && state !== "abandoned") {
      throw agentError("invalid_argument", `A plan ends as done or abandoned, not as ${JSON.stringify(state)}.`)
    }
    checkText("The outcome", outcome)
    const last = ended(plan, state, outcome)
    this.#history = kept([...this.#history, last])
    this.#put(undefined)
    return last
  }

  /** Makes a plan of the history the current one again; one that was goes into the history as abandoned. */
  recoverHistoricalPlan(id: string): Plan {
    const found = this.#history.find((plan) => plan.id === id)
    if (found) {
      return this.#replace(
        reopened(found),
        this.#history.filter((plan) => plan !== found),
      )
    }
    if (id === this.#current?.id) throw agentError("invalid_argument", `The plan ${id} is the current one.`)
    const ids = this.#history.map((plan) => plan.id).join(", ")
    const there = ids === "" ? "There are no former plans." : `There are: ${ids}.`
    throw agentError("invalid_argument", `There is no former plan with the id ${JSON.stringify(id)}. ${there}`)
  }

  protected override stateCodecs(): Readonly<Record<string, StateCodec>> {
    return {
      ...super.stateCodecs(),
      currentPlan: {
        save: () => (this.#current ?? null) as unknown as JsonValue,
        load: (value) => void this.#put(value === null ? undefined : savedPlan(value)),
      },
      history: {
        save: () => this.#history as unknown as JsonValue,
        load: (value) => {
          if (!Array.isArray(value)) {
            throw agentError(
              "invalid_argument",
              `The saved history must be a list of plans, not ${describeValue(value)}.`,
            )
          }
          this.#history = kept((value as readonly JsonValue[]).map(savedPlan))
        },
      },
    }
  }

  #plan(): Plan {
    if (this.#current) return this.#current
    throw agentError("invalid_argument", "There is no current plan. Write one with create_plan first.")
  }

  #replace(plan: Plan, history: readonly Plan[]): Plan {
    const before = this.#current
    const last = before && ended(before, "abandoned", `The plan "${plan.name}" took its place.`)
    this.#history = last ? kept([...history, last]) : history
    return this.#put(plan)
  }

  #put<P extends Plan | undefined>(plan: P): P {
    if (plan === this.#current) return plan
    this.#current = plan
    for (const { listener } of this.#listeners) tell(listener, this.#current, this)
    return plan
  }
}

const kept = (plans: readonly Plan[]): readonly Plan[] => plans.slice(-mostInHistory)

function tell(listener: PlanListener, plan: Plan | undefined, notebook: PlanNotebook): void {
  try {
    const told = listener(plan, notebook)
    if (told) told.catch(() => {})
  } catch {
    // said in onChange: a listener harms nobody
  }
}
