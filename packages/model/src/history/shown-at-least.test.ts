import { assistantMsg, type MediaBlock, userMsg } from "@agentscope-ts/message"
import { expect, test } from "vitest"
import { FakeModel, PlainFormatter, saying } from "../fixtures/fake-model.ts"
import type { Dialect } from "./dialect.ts"
import { guardHistory, HistoryGuard } from "./history-guard.ts"

const dialect: Dialect = { provider: "fake", media: ["image"] }
const medium = (type: MediaBlock["type"]): MediaBlock => ({ type, source: { type: "url", url: "https://a/b" } })
const text = (text: string) => ({ type: "text", text }) as const
const video = userMsg([medium("video")])
const sent = async (model: FakeModel) => {
  const warnings: string[] = []
  await model.generate({ messages: [video] }, { onWarning: ({ code }) => warnings.push(code) })
  return { content: model.requests[0]?.messages[0]?.content, warnings }
}

test("a message of nothing but media that the wire cannot show says so, and what is remembered stays", () => {
  const history = [video, userMsg([medium("audio"), text(" "), medium("video"), medium("audio")])]
  const before = structuredClone(history)
  const [first, second] = guardHistory(history, dialect)
  expect(first?.content).toEqual([text("[Not shown: video. This model's provider takes no media of this kind.]")])
  expect(second?.content).toEqual([
    text("[Not shown: audio, video. This model's provider takes no media of this kind.]"),
  ])
  expect(history).toEqual(before)
  const guard = new HistoryGuard(dialect)
  const once = guard.guard(history)
  expect(guard.guard([...history, userMsg("more")])[0]).toBe(once[0])
})

test("what can be shown, in part at least, is left as it is", () => {
  const own = { ...medium("audio"), opaque: { provider: "fake", data: { id: "audio_1" } } }
  const history = [
    userMsg([medium("image")]),
    userMsg([text("What is it?"), medium("video")]),
    userMsg([medium("video"), medium("image")]),
    userMsg([own]),
    assistantMsg([medium("video")]),
  ]
  expect(guardHistory(history, dialect)).toEqual(history)
  expect(guardHistory([video], { provider: "fake" })).toEqual([video])
  expect(guardHistory([video])).toEqual([video])
})

test("a model warns of it too, unless its formatter is the user's own and may have a form", async () => {
  const warned = await sent(new FakeModel(saying("Hello"), { dialect }))
  expect(warned).toMatchObject({ content: [{ type: "text" }], warnings: ["unsupported_input"] })
  class Showing extends PlainFormatter {}
  const shown = await sent(new FakeModel(saying("Hello"), { dialect, formatter: new Showing() }))
  expect(shown).toEqual({ content: video.content, warnings: [] })
  const same = await sent(new FakeModel(saying("Hello"), { dialect, formatter: new PlainFormatter() }))
  expect(same).toMatchObject({ content: [{ type: "text" }] })
})
