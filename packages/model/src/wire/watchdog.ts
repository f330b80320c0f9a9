/** One request under watch. `active` is set when something comes; `expire` is called when nothing did for too long. */
export interface Watched {
  active: boolean
  idle: number
  expire(): void
}

const steps = 8

/**
 * Ends requests that hear nothing for `timeoutMs` (up to an eighth more). One coarse timer serves all of them: a timer
 * of its own for each socket costs as much as sending the request. The timer keeps no process alive.
 */
export class Watchdog {
  readonly #live = new Set<Watched>()
  readonly #stepMs: number
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(timeoutMs: number) {
    this.#stepMs = Math.max(1, Math.ceil(timeoutMs / steps))
  }

  add(watched: Watched): void {
    watched.active = true
    this.#live.add(watched)
    if (this.#timer !== undefined) return
    this.#timer = setInterval(() => this.#tick(), this.#stepMs)
    // absent where timers are numbers
    this.#timer.unref?.()
  }

  /** The timer stays until a tick finds nobody: requests come one after the other. */
  delete(watched: Watched): void {
    this.#live.delete(watched)
  }

  #tick(): void {
    if (this.#live.size === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
    }
    for (const watched of this.#live) {
      if (watched.active) {
        watched.active = false
        watched.idle = 0
      } else if (++watched.idle >= steps) watched.expire()
    }
  }
}

/** The watchdogs of a transport, one for each timeout that is in use. */
export class Watchdogs {
  readonly #byTimeout = new Map<number, Watchdog>()

  of(timeoutMs: number): Watchdog {
    let watchdog = this.#byTimeout.get(timeoutMs)
    if (!watchdog) {
      // as many as there are different timeouts in a program: a handful
      watchdog = new Watchdog(timeoutMs)
      this.#byTimeout.set(timeoutMs, watchdog)
    }
    return watchdog
  }
}
