import { expectTypeOf, test } from "vitest"
import { ScriptedModel, type ScriptedStep, startReplayServer } from "./index.ts"

test("a step is a text, an answer or a function that gives one", () => {
  expectTypeOf<string>().toExtend<ScriptedStep>()
  expectTypeOf(
    new ScriptedModel([({ messages }) => ({ text: `${messages.length}` }), () => () => "x"]),
  ).toEqualTypeOf<ScriptedModel>()
  // @ts-expect-error: a number is no step
  void (() => new ScriptedModel([1]))
  // @ts-expect-error: a step is made at once
  void (() => new ScriptedModel([async () => "x"]))
  // @ts-expect-error: a misspelt part
  void (() => new ScriptedModel([{ toolUse: [] }]))
})

test("a replay server takes one cassette or several, and known chunkings", () => {
  void (() => startReplayServer("a.json"))
  void (() => startReplayServer(["a.json"] as const, { chunking: "random", seed: 7 }))
  // @ts-expect-error: an unknown chunking
  void (() => startReplayServer("a.json", { chunking: "words" }))
})
