import { type ChatDelta, replaceAmbient } from "@agentscope-ts/message"
import { expect, it } from "vitest"
import { jsonPath } from "./json-path.ts"
import { OpaqueBlocks } from "./opaque-blocks.ts"

function deltasOf(write: (blocks: OpaqueBlocks) => void): readonly ChatDelta[] {
  const deltas: ChatDelta[] = []
  const [nothing, emit] = [() => {}, (delta: ChatDelta) => void deltas.push(delta)]
  write(new OpaqueBlocks({ streaming: true, begin: nothing, warn: nothing, emit, finish: nothing }, "p"))
  return deltas
}
const opaque = { provider: "p", data: { signature: "s" } }

it("ends a text or thinking with the data that came with it", () => {
  const deltas = deltasOf((blocks) => {
    expect(blocks.empty).toBe(true)
    blocks.thinking("a")
    blocks.thinking("b", opaque.data)
    blocks.thinking("c")
    blocks.text("d", opaque.data)
    blocks.own({ n: 1 })
    blocks.text("e")
    expect(blocks.empty).toBe(false)
  })
  expect(deltas).toEqual([
    { type: "thinking_delta", index: 0, text: "a" },
    { type: "thinking_delta", index: 0, text: "b" },
    { type: "block_end", index: 0, block: { type: "thinking", thinking: "ab", opaque } },
    { type: "thinking_delta", index: 1, text: "c" },
    { type: "text_delta", index: 2, text: "d" },
    { type: "block_end", index: 2, block: { type: "text", text: "d", opaque } },
    {
      type: "block_end",
      index: 3,
      block: { type: "thinking", thinking: "", opaque: { provider: "p", data: { n: 1 } } },
    },
    { type: "text_delta", index: 4, text: "e" },
  ])
})

it("tells calls with ids of their own, and leaves one that was cut as it is", () => {
  const restore = replaceAmbient({ newId: () => "new" })
  const deltas = deltasOf((blocks) => {
    expect(blocks.inCall).toBe(false)
    blocks.startCall("f", "x", opaque.data)
    blocks.argument(["a"], "b", true)
    expect(blocks.inCall).toBe(true)
    blocks.argument(["a"], "c")
    blocks.startCall("g", "x")
    blocks.endCall({ n: 1 })
    blocks.endCall()
    blocks.startCall("h", "y")
    blocks.argument(["a"], 1)
    blocks.end(true)
  })
  restore()
  expect(deltas).toEqual([
    { type: "tool_use_start", index: 0, id: "x", name: "f" },
    { type: "tool_use_delta", index: 0, id: "x", json: '{"a":"b' },
    { type: "tool_use_delta", index: 0, id: "x", json: 'c"' },
    { type: "tool_use_delta", index: 0, id: "x", json: "}" },
    { type: "block_end", index: 0, block: { type: "tool_use", id: "x", name: "f", input: { a: "bc" }, opaque } },
    { type: "tool_use_start", index: 1, id: "call_new", name: "g" },
    { type: "tool_use_delta", index: 1, id: "call_new", json: '{"n":1}' },
    { type: "block_end", index: 1, block: { type: "tool_use", id: "call_new", name: "g", input: { n: 1 } } },
    { type: "tool_use_start", index: 2, id: "y", name: "h" },
    { type: "tool_use_delta", index: 2, id: "y", json: '{"a":1' },
  ])
})

it("tells media whole, sounds when their last piece has come", () => {
  const of = (mediaType: string, data: string) => ({ type: "base64", mediaType, data }) as const
  const deltas = deltasOf((blocks) => {
    blocks.media(of("audio/wav", "AAECAw=="))
    blocks.media(of("audio/wav", "BAU="))
    blocks.media(of("image/png", "eA=="), opaque.data)
    blocks.media(of("audio/wav", "BAU="), opaque.data)
    blocks.end()
  })
  expect(deltas).toEqual([
    { type: "block_end", index: 0, block: { type: "audio", source: of("audio/wav", "AAECAwQF") } },
    { type: "block_end", index: 1, block: { type: "image", source: of("image/png", "eA=="), opaque } },
    { type: "block_end", index: 2, block: { type: "audio", source: of("audio/wav", "BAU="), opaque } },
  ])
})

it("reads the places of a call's values", () => {
  expect(jsonPath(`$.a[0]['b c']["d\\"e"].f`)).toEqual(["a", 0, "b c", 'd"e', "f"])
  expect(jsonPath("$")).toEqual([])
})
