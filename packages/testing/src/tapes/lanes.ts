import { type Ambient, ambient, replaceAmbient, type TapedCall, type ToolUseBlock } from "@agentscope-ts/message"
import { testingError } from "../testing-error.ts"

/** Who runs under a tape: the program, an agent's reply, a tool call. What lanes do is kept apart. */
export class Lane {
  readonly parent: Lane | undefined
  /** What it is called below its parent, such as `Friday#1`. */
  readonly step: string
  readonly #counts = new Map<string, number>()

  constructor(step = "", parent?: Lane) {
    this.step = step
    this.parent = parent
  }

  /** The next lane of this name below this one. */
  child(name: string): Lane {
    const count = (this.#counts.get(name) ?? 0) + 1
    this.#counts.set(name, count)
    return new Lane(`${name.replaceAll("/", "|")}#${count}`, this)
  }
}

/** A tape at work: what the ambient seam asks while the run's own code runs. `below` is the seam outside of tapes. */
export interface TapeSeam {
  now(lane: Lane, below: Ambient): number
  newId(lane: Lane, below: Ambient): string
  random(lane: Lane, below: Ambient): number
  sleep(lane: Lane, below: Ambient, ms: number, signal: AbortSignal | undefined): Promise<void>
  fetch(lane: Lane, inner: typeof globalThis.fetch, ...request: Parameters<typeof globalThis.fetch>): Promise<Response>
  toolCall(lane: Lane, toolUse: ToolUseBlock): TapedCall
  /** Somebody begins who may run beside others. */
  enter(lane: Lane): void
}

interface Place {
  readonly tape: TapeSeam
  readonly lane: Lane
}

/** Knows whose code is running: by async context where the runtime has it, else there is one tape at a time, without lanes. */
export interface Places {
  current(): Place | undefined
  run<T>(place: Place, work: () => T): T
  /** The tape that ran is over. */
  leave(): void
  /** Whether each tape hears of its own run alone. */
  readonly isApart: boolean
}

type AsyncHooks = typeof import("node:async_hooks")

function asyncPlaces(): Places | undefined {
  const hooks = globalThis.process?.getBuiltinModule?.("node:async_hooks") as AsyncHooks | undefined
  if (hooks?.AsyncLocalStorage === undefined) return undefined
  const storage = new hooks.AsyncLocalStorage<Place>()
  return {
    current: () => storage.getStore(),
    run: (place, work) => storage.run(place, work),
    leave: () => {},
    isApart: true,
  }
}

/** For runtimes without async context: everything belongs to the one tape that runs. */
export function singlePlace(): Places {
  let only: Place | undefined
  return {
    current: () => only,
    run(place, work) {
      only ??= place
      return work()
    },
    leave() {
      only = undefined
    },
    isApart: false,
  }
}

let places: Places | undefined
let below: Ambient | undefined
let uninstall: (() => void) | undefined
let running = 0

/** Takes the place of how whose code runs is known, until the returned function is called: for tests. */
export function replacePlaces(other: Places): () => void {
  const before = places
  places = other
  return () => {
    places = before
  }
}

/** Whether each of several tapes at once hears of its own run alone, and lanes are told apart. */
export function lanesAreApart(): boolean {
  places ??= asyncPlaces() ?? singlePlace()
  return places.isApart
}

/** Does work of the run in a lane. */
export function inLane<T>(tape: TapeSeam, lane: Lane, work: () => T): T {
  return (places as Places).run({ tape, lane }, work)
}

/**
 * Does all that `run` does, and what it starts, under a tape; what runs beside it in the same process goes on outside.
 * @throws AgentScopeError `tape_busy` inside of another tape, or beside one in a runtime without `AsyncLocalStorage`.
 */
export async function underTape<T>(tape: TapeSeam, run: () => T | PromiseLike<T>): Promise<T> {
  places ??= asyncPlaces() ?? singlePlace()
  if (places.current() || (running > 0 && !places.isApart)) {
    const why = places.isApart
      ? "it was begun inside of the run of another: let one tape end before the next, or begin them beside each other"
      : "another one is running, and this runtime has no AsyncLocalStorage to keep two apart: run them one after the other"
    throw testingError("tape_busy", `The tape could not be started: ${why}.`)
  }
  if (running++ === 0) {
    below = ambient()
    uninstall = replaceAmbient(seamOfTapes)
  }
  const lane = new Lane()
  try {
    return await places.run({ tape, lane }, run)
  } finally {
    if (--running === 0) uninstall?.()
    places.leave()
  }
}

/** The seam in force outside of tapes. */
export const belowTapes = (): Ambient => below ?? ambient()

/** The seam that asks the tape whose run it is asked in, and the seam below for everybody else. */
const seamOfTapes: Ambient = {
  now() {
    const place = places?.current()
    return place ? place.tape.now(place.lane, belowTapes()) : belowTapes().now()
  },
  newId() {
    const place = places?.current()
    return place ? place.tape.newId(place.lane, belowTapes()) : belowTapes().newId()
  },
  random() {
    const place = places?.current()
    return place ? place.tape.random(place.lane, belowTapes()) : belowTapes().random()
  },
  sleep(ms, signal) {
    const place = places?.current()
    return place ? place.tape.sleep(place.lane, belowTapes(), ms, signal) : belowTapes().sleep(ms, signal)
  },
  get transport() {
    const place = places?.current()
    if (place === undefined) return belowTapes().transport
    return (inner: typeof globalThis.fetch): typeof globalThis.fetch =>
      (...request) => {
        const { tape, lane } = places?.current() ?? place
        return tape.fetch(lane, inner, ...request)
      }
  },
  get within() {
    const place = places?.current()
    if (place === undefined) return belowTapes().within
    return <T>(name: string, work: () => T): T => {
      const lane = place.lane.child(name)
      place.tape.enter(lane)
      return inLane(place.tape, lane, work)
    }
  },
  get toolCall() {
    const place = places?.current()
    return place ? (toolUse: ToolUseBlock) => place.tape.toolCall(place.lane, toolUse) : belowTapes().toolCall
  },
}
