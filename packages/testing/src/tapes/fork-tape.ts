import { checkRun } from "./check-run.ts"
import { lanesAreApart, underTape } from "./lanes.ts"
import { Player } from "./player.ts"
import { toolLane } from "./recorder.ts"
import { divergenceError } from "./divergence.ts"
import type { TapeEvent } from "./tape-event.ts"
import { readTape } from "./tape-file.ts"
import { tapeEventOf } from "./tape-line.ts"
import { testingError } from "../testing-error.ts"

/** Where a tape is forked, and how. */
export interface TapeFork {
  /** The number of the event that is changed (`at` in its line). */
  at: number
  /** The event as it is to be: what came of a tool, what a model answered, what time it was. */
  change: (event: TapeEvent) => TapeEvent
}

/**
 * Runs `run` on a tape of which one event is changed: what if the model had said, or the tool had answered, something else?
 * Everything up to the event is as recorded. From there on what is asked as in the recording is still answered by the tape;
 * an agent or program that asks something else runs live from then on, with real requests, tools, ids and sleeps, its clock
 * going on from the tape's. Nothing is recorded.
 * @returns what `run` returns.
 * @throws AgentScopeError `tape_missing`, `invalid_tape`, `tape_busy`; `invalid_option` for an event that is not there or that
 * the change makes unusable; `tape_diverged` where the run is not the recorded one before the event;
 * `fork_not_reached` where it ends without having asked for it; whatever `run` throws.
 */
export async function forkTape<T>(file: string, fork: TapeFork, run: () => T | PromiseLike<T>): Promise<T> {
  checkRun("forkTape(file, fork, run)", file, run)
  if (typeof fork !== "object" || fork === null || typeof fork.change !== "function") {
    const message = "forkTape: fork is { at, change }: the number of an event, and a function that returns it changed."
    throw testingError("invalid_option", message)
  }
  const tape = await readTape(file)
  const { at, change } = fork
  const event = tape.events[at - 1]
  if (event === undefined || event.type === "end") {
    const message = `forkTape: ${file} has no event ${at} to change: its events are 1 to ${tape.events.length - 1}.`
    throw testingError("invalid_option", message, { details: { file, at } })
  }
  const events = tape.events.with(at - 1, changed(file, event, change, tape.events.slice(0, at - 1)))
  const told = event.type === "tool_result" ? answered(events, event.call) : events
  // an answer begins to tell right after it was asked for, and stands where it ended
  const opening =
    "call" in event ? tape.events.find((other) => "call" in other && other.call === event.call) : undefined
  const liveAfter = opening?.at ?? at
  const player = new Player({ ...tape, events: told }, { mode: "strict", liveAfter, isApart: lanesAreApart() })
  let result: T
  try {
    result = await underTape(player, run)
  } finally {
    player.close("returned")
  }
  const [first] = player.divergences
  if (first) throw divergenceError(file, first)
  if ("call" in event && player.left.some(({ call }) => call === event.call)) {
    const message = `forkTape: the run came to its end without event ${at} (${event.type}) of ${file}: what was changed was never asked for.`
    throw testingError("fork_not_reached", message, { details: { file, at } })
  }
  return result
}

/** A tool that would run again, on what it asked, gives the result on the tape: nothing of what it asked is left. */
function answered(events: readonly TapeEvent[], call: number): readonly TapeEvent[] {
  const asked = events.find((event) => event.type === "tool_call" && event.call === call)
  if (asked?.type !== "tool_call" || !asked.runs) return events
  const lane = toolLane(asked.lane, asked.name, call)
  const { runs: _, ...plain } = asked
  return events
    .filter((event) => !("lane" in event && (event.lane === lane || event.lane.startsWith(`${lane}/`))))
    .map((event) => (event === asked ? plain : event))
}

function changed(file: string, event: TapeEvent, change: TapeFork["change"], before: readonly TapeEvent[]): TapeEvent {
  const made: unknown = change(structuredClone(event))
  const checked = tapeEventOf(made, before)
  const isSame = typeof checked === "object" && checked.type === event.type && checked.lane === event.lane
  const hasCall =
    typeof checked === "object" && (!("call" in event) || ("call" in checked && checked.call === event.call))
  if (isSame && hasCall) return checked
  const why = typeof checked === "string" ? checked : "has another type, lane or call"
  const message = `forkTape: event ${event.at} of ${file} as changed ${why}. Return the event with other content: ({ ...event, … }).`
  throw testingError("invalid_option", message, { details: { file, at: event.at } })
}
