import { didYouMean } from "@agentscope-ts/message"
import { checkRun } from "./check-run.ts"
import { divergenceError, type TapeReport } from "./divergence.ts"
import { lanesAreApart, underTape } from "./lanes.ts"
import { Player } from "./player.ts"
import { readTape } from "./tape-file.ts"
import { testingError } from "../testing-error.ts"

/** Options of {@link replayTape}. */
export interface ReplayTapeOptions {
  /**
   * `strict` (unless given): the first request or tool call that is not the recorded one ends the run. `lenient`: it gets the
   * nearest answer that is left for the same endpoint or tool.
   */
  mode?: "strict" | "lenient" | undefined
  /** Hears how the replay went, when it is over, also when it failed. */
  onReport?: ((report: TapeReport) => void) | undefined
}

/**
 * Runs `run` on what a tape has: no request goes out, no tool is run that was answered by itself, nobody sleeps, and the
 * clock, ids and random numbers of the ambient seam are the recorded ones.
 * @returns what `run` returns.
 * @throws AgentScopeError `invalid_option`, `tape_missing`, `invalid_tape`, `tape_busy`; `tape_diverged` for the first thing in which the run is
 * not the recorded one (when `lenient`, only for a request that nothing is left for); whatever `run` throws.
 */
export async function replayTape<T>(
  file: string,
  run: () => T | PromiseLike<T>,
  options: ReplayTapeOptions = {},
): Promise<T> {
  checkRun("replayTape(file, run, options)", file, run)
  checkOptions(options)
  const { mode = "strict", onReport } = options
  if (mode !== "strict" && mode !== "lenient") {
    throw testingError("invalid_option", `replayTape: mode is ${JSON.stringify(mode)}; it is "strict" or "lenient".`)
  }
  const player = new Player(await readTape(file), { mode, isApart: lanesAreApart() })
  let outcome: { readonly result: T } | { readonly error: unknown }
  try {
    outcome = { result: await underTape(player, run) }
  } catch (error) {
    outcome = { error }
  }
  const report = player.close("result" in outcome ? "returned" : "threw")
  onReport?.(report)
  const [first] = report.divergences
  if (mode === "strict" && first) throw divergenceError(file, first)
  if ("error" in outcome) throw outcome.error
  return outcome.result
}

const names: readonly string[] = ["mode", "onReport"] satisfies (keyof ReplayTapeOptions)[]

function checkOptions(options: unknown): void {
  if (typeof options !== "object" || options === null) {
    throw testingError("invalid_option", 'replayTape: options are an object, such as { mode: "lenient" }.')
  }
  const unknown = Object.entries(options).find(([name, value]) => value !== undefined && !names.includes(name))
  if (unknown) {
    const message = `replayTape: there is no option "${unknown[0]}"; there are ${names.join(" and ")}.${didYouMean(unknown[0], names)}`
    throw testingError("invalid_option", message)
  }
  const { onReport } = options as { readonly onReport?: unknown }
  if (onReport !== undefined && typeof onReport !== "function") {
    throw testingError("invalid_option", `replayTape: onReport must be a function, not ${typeof onReport}.`)
  }
}
