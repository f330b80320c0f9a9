import type { ChatModel, ChatRequest } from "@agentscope-ts/model"
import type { Cassette } from "../cassette.ts"
import type { TestRunner } from "./test-runner.ts"

/** Where a model under test is to send its requests. */
export interface ConformanceTarget {
  /** `http://127.0.0.1:PORT` without a path: add what the model's `baseURL` has. */
  readonly url: string
  /** Answers in place of the network; pass it to the model. */
  readonly fetch: typeof globalThis.fetch
  /** Whether a server answers at `url`: a model with a transport of its own may then be made without `fetch`. */
  readonly live: boolean
  /** The interchange that will be answered with, where there is one. */
  readonly cassette?: Cassette | undefined
}

/** What {@link runModelConformance} is to run. */
export interface ModelConformanceSuite {
  /** Heads the tests. */
  readonly name: string
  /** Makes the model under test, with any key. Leave its retries as they are: the kit sets them where they matter. */
  readonly create: (target: ConformanceTarget) => ChatModel
  /**
   * Recorded interchanges: a file, a folder (all cassettes in and below it), an `index.json` that lists files, the
   * interchange itself, or a list of these.
   */
  readonly cassettes: string | Cassette | readonly (string | Cassette)[]
  /** Only cassettes of this wire format, or of these. */
  readonly api?: string | readonly string[] | undefined
  /** Only cassettes for which this holds. */
  readonly filter?: ((cassette: Cassette) => boolean) | undefined
  /** What to do where a path does not exist: fail (the default), or register one skipped test that says so. */
  readonly whenAbsent?: "throw" | "skip" | undefined
  /** What the request has beside "hello" (and a small image for cassettes of the category `vision`). */
  readonly request?: ((cassette: Cassette) => Partial<ChatRequest>) | undefined
  /** How many damaged streams; default 1,000, or 10,000 under `AGENTSCOPE_SOAK=1`. */
  readonly damages?: number | undefined
  /** Seed of the random cuts and damages; default 1. */
  readonly seed?: number | undefined
  /** The variable that holds the key, and a model made without one: the error must name the variable. */
  readonly missingKey?: { readonly variable: string; readonly create: () => ChatModel } | undefined
  /** Whether images go out, for models that take them; default true. */
  readonly images?: boolean | undefined
  /** The fields of the wire that hold figures about tokens; default: those of the well-known wires. */
  readonly usageKeys?: readonly string[] | undefined
  /** Default: the runner that is there (vitest, jest, bun, node:test). */
  readonly runner?: TestRunner | undefined
}
