import type { Msg } from "@agentscope-ts/message"

interface Joined {
  readonly run: readonly Msg[]
  readonly msg: Msg
}

/** What was made of runs, by their last message: a history that grows has the same objects again. */
const known = new WeakMap<Msg, Joined>()

/**
 * The messages, those made one that a wire does not take one after the other: `joins` says whether a message goes with the run
 * that follows it. The same run gives the same object again.
 */
export function joinedTurns(
  messages: readonly Msg[],
  joins: (before: Msg, run: readonly Msg[]) => boolean,
): readonly Msg[] {
  if (!messages.some((msg, i) => i > 0 && joins(messages[i - 1] as Msg, [msg]))) return messages
  const runs: Msg[][] = []
  for (const msg of messages.toReversed()) {
    const after = runs.at(-1)
    if (after && joins(msg, after)) after.unshift(msg)
    else runs.push([msg])
  }
  return runs.toReversed().map(joined)
}

function joined(run: readonly Msg[]): Msg {
  const last = run.at(-1) as Msg
  if (run.length === 1) return last
  const before = known.get(last)
  if (before?.run.length === run.length && before.run.every((msg, i) => msg === run[i])) return before.msg
  const msg = { ...last, content: run.flatMap(({ content }) => content) }
  known.set(last, { run, msg })
  return msg
}
