import type { ChatDelta } from "@agentscope-ts/message"
import { expect, it } from "vitest"
import { AnswerMedia, answerMediaIn } from "./answer-media.ts"
import { BlockWriter } from "./block-writer.ts"

/** The media that parts of answers come to. */
function told(...parts: readonly object[]): readonly unknown[] {
  const blocks: unknown[] = []
  const emit = (delta: ChatDelta): void => void (delta.type === "block_end" && blocks.push(delta.block))
  const sink = { streaming: true, begin: () => {}, warn: () => {}, emit, finish: () => {} }
  const media = new AnswerMedia(new BlockWriter(sink))
  for (const part of parts) for (const medium of answerMediaIn(part)) media.add(medium)
  media.end()
  media.end()
  return blocks
}
const url = "https://example.com/a"

it("reads what stands in fields named after a kind, and nothing else", () => {
  expect(answerMediaIn({ image: url, video: { url }, audio: { data: "AA==", id: 1 }, text: url })).toEqual([
    { type: "image", url, data: "" },
    { type: "audio", url: "", data: "AA==" },
    { type: "video", url, data: "" },
  ])
  expect(answerMediaIn({ image: "", audio: null, video: 3 })).toEqual([])
  expect(answerMediaIn(undefined)).toEqual([])
})

it("tells each once, and leaves out what is no URL", () => {
  const image = { type: "image", source: { type: "url", url } }
  expect(told({ image: url }, { image: url }, { image: "a cat" }, { image: `${url}2` })).toEqual([
    image,
    { ...image, source: { type: "url", url: `${url}2` } },
  ])
})

it("puts a sound together from its pieces, unless the URL of all of it comes", () => {
  const piece = (text: string) => ({ audio: { data: Buffer.from(text, "latin1").toString("base64") } })
  const pieces = ["RIFF....WAVE", "ab"].map(piece)
  const data = Buffer.from("RIFF....WAVEab").toString("base64")
  expect(told(...pieces)).toEqual([{ type: "audio", source: { type: "base64", mediaType: "audio/wav", data } }])
  expect(told(...pieces, { audio: { url, data: "" } })).toEqual([{ type: "audio", source: { type: "url", url } }])
  expect(told(piece("\x01\x02"))).toMatchObject([{ source: { mediaType: "audio/pcm" } }])
  expect(told({ audio: { data: "%%" } })).toMatchObject([{ source: { mediaType: "audio/pcm" } }])
})
