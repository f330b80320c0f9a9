import { ambient } from "@agentscope-ts/message"
import { underTape } from "./lanes.ts"
import { Recorder } from "./recorder.ts"
import { checkRun } from "./check-run.ts"
import { checkFolder, failedTape, removeFailed, writeTape } from "./tape-file.ts"

/**
 * Runs `run` as it is and keeps what it gets from outside in `file`: answers of models, byte for byte, results of tools, the
 * clock, sleeps, ids and random numbers of the ambient seam. Secrets are left out. The file is replaced at once when the run
 * has come to its end. A run that fails leaves it as it was: how far it went, and what it failed with, is in
 * `NAME.failed.jsonl` beside it.
 * @returns what `run` returns.
 * @throws AgentScopeError `invalid_option` for what is no file name and function, `tape_not_written` (before the run where that can be known), `tape_busy`; whatever `run` throws.
 */
export async function recordTape<T>(file: string, run: () => T | PromiseLike<T>): Promise<T> {
  checkRun("recordTape(file, run)", file, run)
  await checkFolder(file)
  const recorder = new Recorder()
  const recordedAt = ambient().now()
  let result: T
  try {
    result = await underTape(recorder, run)
  } catch (error) {
    // the failure of the run is the one to be told
    await writeTape(failedTape(file), recordedAt, recorder.close("threw", error)).catch(() => {})
    throw error
  }
  await writeTape(file, recordedAt, recorder.close("returned"))
  await removeFailed(file)
  return result
}
