import { existsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { forkTape, recordTape, replayTape } from "../index.ts"

const file = join(tmpdir(), `no-such-tape-${process.pid}.jsonl`)
const run = () => 1
const fork = { at: 1, change: <Event>(event: Event) => event }

test.each<[string, () => Promise<unknown>, RegExp]>([
  [
    "recordTape without a function",
    () => recordTape(file, undefined as never),
    /^recordTape\(file, run\): run is the function that the tape is of, not undefined/,
  ],
  ["recordTape with a promise", () => recordTape(file, Promise.resolve() as never), /not object/],
  [
    "recordTape the other way round",
    () => recordTape(run as never, file as never),
    /file is the path of the tape, not function/,
  ],
  ["recordTape without a name", () => recordTape("", run), /not an empty text/],
  ["replayTape without a function", () => replayTape(file, undefined as never), /^replayTape.*run is the function/],
  [
    "a misspelt option",
    () => replayTape(file, run, { mod: "lenient" } as never),
    /no option "mod"; .* Did you mean "mode"\?$/,
  ],
  ["options that are a word", () => replayTape(file, run, "lenient" as never), /options are an object/],
  [
    "a report to no function",
    () => replayTape(file, run, { onReport: true as never }),
    /onReport must be a function, not boolean/,
  ],
  ["forkTape without a function", () => forkTape(file, fork, undefined as never), /^forkTape.*run is the function/],
  ["forkTape without a change", () => forkTape(file, { at: 1 } as never, run), /fork is \{ at, change \}/],
])("%s is refused before anything is read or written", async (_, call, message) => {
  const failure: unknown = await call().catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: "invalid_option", message: expect.stringMatching(message) as unknown })
  expect(existsSync(file)).toBe(false)
})
