import { assistantMsg, userMsg } from "@agentscope-ts/message"
import { describe, expect, it } from "vitest"
import { historyParts } from "./history-parts.ts"

const image = { type: "image", source: { type: "url", url: "https://h/a.png" } } as const
const sound = { type: "audio", source: { type: "url", url: "https://h/a.wav" } } as const
const text = (text: string) => ({ type: "text", text }) as const
const options = { prompt: "# Before\n", media: ["image"] } as const

describe("the parts of a history", () => {
  it("are its texts cut where media stand, with the tags around all", () => {
    const talk = [userMsg([text("a"), image, text("b")], { name: "Ann" }), assistantMsg("c", { name: "Bob" })]
    expect(historyParts(talk, options)).toEqual(["# Before\n<history>\nAnn: a", image, "Ann: b\nBob: c\n</history>"])
    expect(historyParts(talk, { ...options, prompt: "", opening: "<history>" })[0]).toBe("<history>Ann: a")
  })

  it("have tags of their own where media stand first or last", () => {
    expect(historyParts([userMsg([image])], options)).toEqual(["# Before\n<history>\n", image, "</history>"])
  })

  it("have the media after the whole text where that is wanted, kind by kind", () => {
    const talk = [userMsg([sound, image, text("a")], { name: "Ann" }), userMsg([image, text("b")], { name: "Bob" })]
    const after = { ...options, media: ["image", "audio"], mediaLast: true } as const
    expect(historyParts(talk, after)).toEqual(["# Before\n<history>\nAnn: a\nBob: b\n</history>", image, image, sound])
    expect(historyParts([userMsg([sound])], after)).toEqual([sound])
  })

  it("are without what the wire does not show, and none where nothing is left", () => {
    const thinking = assistantMsg([{ type: "thinking", thinking: "hm" }], { name: "Bob" })
    expect(historyParts([userMsg([sound, text("a")]), thinking], options)).toEqual([
      "# Before\n<history>\nuser: a\n</history>",
    ])
    expect(historyParts([userMsg([sound]), thinking], options)).toEqual([])
  })
})
