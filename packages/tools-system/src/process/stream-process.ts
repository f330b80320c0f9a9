import { type ProcessOutcome, type ProcessRequest, startProcess } from "./run-process.ts"

/**
 * Runs a program and yields its output while it runs, so that what there is survives an interruption; returns how it ended.
 * Leaving early ends the program.
 */
export async function* streamProcess(request: ProcessRequest): AsyncGenerator<string, ProcessOutcome> {
  const state = { pieces: [] as string[], ended: false, wake: () => {} }
  const { outcome, stop } = startProcess({
    ...request,
    onOutput: (text) => {
      state.pieces.push(text)
      state.wake()
    },
  })
  const end = (): void => {
    state.ended = true
    state.wake()
  }
  outcome.then(end, end)
  try {
    for (;;) {
      const text = state.pieces.join("")
      state.pieces = []
      if (text !== "") yield text
      else if (state.ended) return await outcome
      else {
        await new Promise<void>((resolve) => {
          state.wake = resolve
        })
      }
    }
  } finally {
    if (!state.ended) stop()
  }
}
