import { userMsg } from "@agentscope-ts/message"
import { expect, test } from "vitest"
import { modelError } from "./errors/model-error.ts"
import { FakeModel, type Send } from "./fixtures/fake-model.ts"
import { withFallback } from "./with-fallback.ts"

const messages = [userMsg("Hi")]
const warning = { code: "unsupported_param", message: "There is no seed here: it was left out." }
const answering =
  (...texts: readonly string[]): Send =>
  (_, sink, call) => {
    sink.warn(warning.code, warning.message)
    sink.emit({ type: "text_delta", index: 0, text: texts[call] ?? "{}" })
    sink.finish({ stopReason: "stop" })
  }

test("a response has what the call warned of, however it was asked for", async () => {
  const make = () => new FakeModel(answering("Hello"))
  expect((await make().generate({ messages })).warnings).toEqual([warning])
  expect((await make().stream({ messages }).response).warnings).toEqual([warning])
  const stream = make().stream({ messages })
  for await (const _ of stream) expect(stream.partial().warnings).toEqual([warning])
  expect((await stream.response).warnings).toEqual([warning])
})

test("a call that warns of nothing has no warnings", async () => {
  const model = new FakeModel((_, sink) => sink.finish({ stopReason: "stop" }))
  expect(await model.generate({ messages })).not.toHaveProperty("warnings")
})

test("what is said again when the model is asked again is one warning, for the listener too", async () => {
  const heard: unknown[] = []
  const model = new FakeModel(answering("no JSON", "{}"))
  const asked = model.generate({ messages, schema: { type: "object" } }, { onWarning: (said) => heard.push(said) })
  expect((await asked).warnings).toEqual([warning])
  expect(model.requests).toHaveLength(2)
  expect(heard).toEqual([warning])
})

test("the warning of a fallback is among them", async () => {
  const down = new FakeModel(() => Promise.reject(modelError({ code: "not_found", message: "Gone." })))
  const { warnings } = await withFallback([down, new FakeModel(answering("Hello"))]).generate({ messages })
  expect(warnings?.map(({ code }) => code)).toEqual(["model_fallback", "unsupported_param"])
})

test("who listens to a stream that runs already hears what was warned of before", async () => {
  const heard: unknown[] = []
  const stream = new FakeModel(answering("Hello")).stream({ messages })
  await stream.response
  await stream.drive({ onWarning: (said) => heard.push(said) })
  expect(heard).toEqual([warning])
})
