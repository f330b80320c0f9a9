import type { JsonObject, JsonValue } from "@agentscope-ts/message"
import { stateError } from "./error.ts"

/**
 * How one value of a module is saved and restored. `save` gives plain JSON that later changes of the module do not touch;
 * `load` checks what it gets before it changes anything, and throws when it does not fit.
 */
export interface StateCodec<T extends JsonValue = JsonValue> {
  save(): T
  load(value: T): void
}

type Part = StateModule | StateCodec

// a symbol and not `instanceof`, so that modules of two installed copies of this package nest
const brand = Symbol.for("agentscope.state-module")

/** Whether a value is a module, of this copy of the package or another. */
export const isModule = (value: unknown): value is StateModule =>
  typeof value === "object" && value !== null && brand in value

/** The modules that are being saved, outermost first. */
const saving = new Set<StateModule>()

/**
 * Something whose state can be saved as plain JSON and restored into a new instance. Modules in public fields belong to the
 * state under the field's name; other values join through {@link StateModule.registerState}, or, for a class with many
 * instances, through {@link StateModule.stateCodecs}. What must not be saved lives in private `#` fields.
 */
export abstract class StateModule {
  #registered: Map<string, StateCodec> | undefined

  get [brand](): true {
    return true
  }

  /**
   * The state as plain JSON: that of each module under its field's name, then each registered value under its key.
   * @throws AgentScopeError `state_cycle` when a field leads back to a module that is being saved, `name_clash` when a
   * field and a registered value have one name, `invalid_argument` when a registered value is no JSON.
   */
  stateDict(): JsonObject {
    saving.add(this)
    try {
      const state: Record<string, JsonValue> = {}
      for (const [key, part] of this.#parts())
        state[key] = isModule(part) ? this.#saved(key, part) : json(this, key, part)
      return state
    } finally {
      saving.delete(this)
    }
  }

  /**
   * Restores what {@link StateModule.stateDict} gave. All or nothing: the whole tree is checked first, and when a value
   * cannot be loaded, what was loaded before it is put back. With `strict: false` absent keys are passed over, also in
   * nested modules; keys that the module does not know are always passed over.
   * @throws AgentScopeError `invalid_state`, naming the key.
   */
  loadStateDict(state: JsonObject, { strict = true }: { strict?: boolean | undefined } = {}): void {
    const steps: Step[] = []
    this.#plan(state, strict, this.constructor.name, "", steps)
    runAll(steps, this.constructor.name)
  }

  /**
   * Lets a value of this instance join the state under `key`.
   * @throws AgentScopeError `name_clash` when the key is registered; a clash with a field or with `stateCodecs()` shows when
   * state is saved or loaded.
   */
  protected registerState<T extends JsonValue>(key: string, codec: { save: () => T; load: (value: T) => void }): void {
    if (this.#registered?.has(key)) throw clash(this, key)
    this.#registered ??= new Map()
    this.#registered.set(key, codec)
  }

  /**
   * The values that every instance of a class saves, by key: written once in the class and called when state is saved or
   * loaded, so that an instance costs nothing. An override spreads what `super.stateCodecs()` gives.
   */
  protected stateCodecs(): Readonly<Record<string, StateCodec>> {
    return {}
  }

  #parts(): Map<string, Part> {
    const parts = new Map<string, Part>()
    for (const [key, value] of Object.entries(this)) if (isModule(value)) parts.set(key, value)
    for (const source of [Object.entries(this.stateCodecs()), this.#registered ?? []]) {
      for (const [key, codec] of source) {
        if (parts.has(key)) throw clash(this, key)
        parts.set(key, codec)
      }
    }
    return parts
  }

  #saved(key: string, module: StateModule): JsonObject {
    if (!saving.has(module)) return module.stateDict()
    throw stateError(
      "state_cycle",
      `The field "${key}" of ${this.constructor.name} leads back to a module that is being saved. Keep such a reference in a private # field.`,
    )
  }

  /** Checks the shape of the state and lists what is to be loaded; changes nothing. */
  #plan(state: unknown, strict: boolean, root: string, path: string, steps: Step[]): void {
    if (typeof state !== "object" || state === null || Array.isArray(state)) {
      const where = path === "" ? "The state" : `State key "${path.slice(0, -1)}"`
      throw invalid(`${root}: ${where} must be an object as stateDict() gives it.`)
    }
    const values = state as JsonObject
    for (const [key, part] of this.#parts()) {
      const value = Object.hasOwn(values, key) ? values[key] : undefined
      if (value === undefined) {
        if (!strict) continue
        const there = Object.keys(values).join(", ") || "nothing"
        throw invalid(
          `${root}: state key "${path}${key}" is missing; the state has: ${there}. Load with { strict: false } to keep the present value.`,
        )
      }
      if (!isModule(part)) steps.push({ key: path + key, value, part })
      // a class that loads in its own way is one step; so is a module of another installed copy
      else if (part.loadStateDict !== StateModule.prototype.loadStateDict) {
        const load = (saved: JsonValue) => part.loadStateDict(saved as JsonObject, { strict })
        steps.push({ key: path + key, value, part: { save: () => part.stateDict(), load } })
      } else part.#plan(value, strict, root, `${path}${key}.`, steps)
    }
  }
}

interface Step {
  readonly key: string
  readonly value: JsonValue
  readonly part: StateCodec
}

/** Loads step by step; on a failure puts back what was there before, last first. */
function runAll(steps: readonly Step[], root: string): void {
  const undo: Step[] = []
  for (const { key, value, part } of steps) {
    try {
      undo.push({ key, value: part.save(), part })
      part.load(value)
    } catch (cause) {
      const lost = undo.toReversed().filter((step) => !loads(step))
      const aftermath =
        lost.length === 0
          ? "Nothing was changed."
          : `What was there before could not be put back for: ${lost.map((step) => step.key).join(", ")}.`
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw invalid(`${root}: state key "${key}" could not be loaded: ${reason} ${aftermath}`, cause)
    }
  }
}

function loads({ part, value }: Step): boolean {
  try {
    part.load(value)
    return true
  } catch {
    // it may refuse to be loaded at all just now, and be as it was
    return JSON.stringify(part.save()) === JSON.stringify(value)
  }
}

const noJson: ReadonlySet<string> = new Set(["function", "symbol", "bigint"])

function json(module: StateModule, key: string, codec: StateCodec): JsonValue {
  const value: unknown = codec.save()
  const isJson = typeof value === "number" ? Number.isFinite(value) : value !== undefined && !noJson.has(typeof value)
  if (isJson) return value as JsonValue
  throw stateError(
    "invalid_argument",
    `${module.constructor.name}: what is saved under state key "${key}" is ${typeof value === "number" ? value : typeof value}, no JSON. Save null for "nothing".`,
  )
}

function invalid(message: string, cause?: unknown): Error {
  return stateError("invalid_state", message, { cause })
}

function clash(module: StateModule, key: string): Error {
  return stateError(
    "name_clash",
    `${module.constructor.name} has two states under the key "${key}": a registered value and a public field with a module, or two registered values. Give one another name.`,
  )
}
