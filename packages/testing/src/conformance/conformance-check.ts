import type { Cassette } from "../cassette.ts"

/** One thing that a model or a store has to do right; `run` rejects with `not_conformant` where it does not. */
export interface ConformanceCheck {
  /** What kind of thing; the heading of its tests. */
  readonly group: string
  readonly name: string
  /** The interchange that it is about, for checks of recorded traffic. */
  readonly cassette?: Cassette
  readonly timeoutMs: number
  readonly run: () => Promise<void>
}
