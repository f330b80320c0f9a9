import {
  assistantMsg,
  type ContentBlock,
  createMsg,
  type Msg,
  systemMsg,
  toolResultMsg,
  userMsg,
} from "@agentscope-ts/message"
import type { Formatter } from "@agentscope-ts/model"
import { createServer } from "node:http"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { OllamaChatFormatter, OllamaMultiAgentFormatter, type OllamaWireMessage } from "./index.ts"

let dir = ""
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "formatters-"))
})
afterAll(() => rmSync(dir, { recursive: true }))

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const text = (text: string) => ({ type: "text", text }) as const
const image = (url: string) => ({ type: "image", source: { type: "url", url } }) as const
const inline = (data: string, mediaType = "image/png") =>
  ({ type: "image", source: { type: "base64", mediaType, data } }) as const
const call = { type: "tool_use", id: "c1", name: "look", input: { at: "é" } } as const
const wireCall = { id: "c1", type: "function", function: { name: "look", arguments: { at: "é" } } }
const resultOf = (...output: Parameters<typeof toolResultMsg>[0][number]["output"]) =>
  toolResultMsg([{ type: "tool_result", id: "c1", name: "look", output, state: "success" }])

async function wireOf(formatter: Formatter, ...messages: readonly Msg[]): Promise<readonly OllamaWireMessage[]> {
  const wire = (await formatter.format(messages)) as readonly OllamaWireMessage[]
  // message by message it must be the same, wherever that is possible
  if (formatter.incremental) {
    const single = messages.map((msg) => formatter.formatMessage?.(msg))
    if (single.every((part) => part !== undefined)) expect(single.flat()).toEqual(wire)
  }
  return wire
}

const spoken = async (...content: readonly ContentBlock[]) =>
  (await wireOf(new OllamaChatFormatter(), createMsg({ name: "u", role: "user", content })))[0]

describe("OllamaChatFormatter", () => {
  it("FR-21 sends thinking back with the calls it led to, and with nothing else", async () => {
    const thinking = { type: "thinking", thinking: "I should look" } as const
    const history = [assistantMsg([thinking, call]), resultOf(text("ok")), assistantMsg([thinking, text("Done")])]
    expect(await wireOf(new OllamaChatFormatter(), ...history, assistantMsg([thinking]))).toEqual([
      { role: "assistant", content: null, thinking: "I should look", tool_calls: [wireCall] },
      { role: "tool", tool_call_id: "c1", content: "ok", name: "look" },
      { role: "assistant", content: "Done" },
    ])
  })

  it("shows pictures of files, in memory and of the web with the message", async () => {
    writeFileSync(join(dir, "a.png"), png, "base64")
    const server = createServer((_, response) => response.end(Buffer.from(png, "base64")))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const web = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.png`
    for (const block of [image(join(dir, "a.png")), inline(png), image(`data:;base64,${png}`), image(web)]) {
      expect(await spoken(text("see"), block)).toEqual({ role: "user", content: "see", images: [png] })
    }
    expect(await spoken(inline(png))).toEqual({ role: "user", content: null, images: [png] })
    await new Promise((resolve) => server.close(resolve))
  })

  it("FR-25 refuses pictures that the server does not read, whatever they are said to be", async () => {
    const svg = Buffer.from('<svg xmlns="x"></svg>').toString("base64")
    await expect(spoken(inline(svg))).rejects.toThrow("Ollama takes no image of type image/svg+xml")
    expect((await spoken(inline(png, "image/gif")))?.images).toEqual([png])
    expect((await spoken(inline("ZmFrZQ==", "image/jpg")))?.images).toEqual(["ZmFrZQ=="])
  })

  it("leaves out what there is no form for, and what the model drew", async () => {
    const sound = { type: "audio", source: { type: "url", url: "/no/such.wav" } } as const
    expect(await spoken(sound, text("x"))).toEqual({ role: "user", content: "x" })
    expect(await spoken(sound)).toBeUndefined()
    const drawn = createMsg({ name: "a", role: "assistant", content: [image("/no/such.png"), text("see")] })
    expect(await wireOf(new OllamaChatFormatter(), drawn)).toEqual([{ role: "assistant", content: "see" }])
  })

  it("shows pictures of tool results once more where that is wanted", async () => {
    const formatter = new OllamaChatFormatter({
      promoteToolResultImages: true,
      saveMedia: () => Promise.resolve("/kept/x.png"),
    })
    const [message, shown] = await wireOf(formatter, resultOf(text("two"), inline(png)))
    expect(message?.content).toBe("- two\n- The returned image can be found at: /kept/x.png")
    expect(shown?.images).toEqual([png])
    expect(await wireOf(formatter, resultOf(text("none")))).toHaveLength(1)
  })
})

describe("OllamaMultiAgentFormatter", () => {
  it("makes one user message of a run of talk, with its pictures", async () => {
    const formatter = new OllamaMultiAgentFormatter({ conversationHistoryPrompt: "# Before\n" })
    const talk = [
      systemMsg("s"),
      userMsg([text("see"), inline(png)], { name: "Ann" }),
      assistantMsg("Hello", { name: "Bob" }),
    ]
    expect(await wireOf(formatter, ...talk, assistantMsg([call]), resultOf(text("ok")), userMsg("Bye"))).toEqual([
      { role: "system", content: "s" },
      { role: "user", content: "# Before\n<history>\nAnn: see\n\nBob: Hello\n</history>", images: [png] },
      { role: "assistant", content: null, tool_calls: [wireCall] },
      { role: "tool", tool_call_id: "c1", content: "ok", name: "look" },
      { role: "user", content: "<history>\nuser: Bye\n</history>" },
    ])
  })
})

describe("promoted media of several results", () => {
  const picture = inline(png)
  const outputs = [[picture], [text("x"), picture, picture], [text("no picture")]]
  const results = outputs.map((output, i) => ({
    type: "tool_result" as const,
    id: `c${i}`,
    name: "look",
    output,
    state: "success" as const,
  }))
  const calls = results.map(({ id }) => ({ ...call, id }))
  const saveMedia = async () => "/saved.png"

  it.each([
    ["in one message", [toolResultMsg(results)]],
    ["in a message each", results.map((result) => toolResultMsg([result]))],
    ["in two messages", [toolResultMsg(results.slice(0, 2)), toolResultMsg(results.slice(2))]],
  ])("stand after all of them, %s", async (_, messages) => {
    const history = [userMsg("q"), assistantMsg(calls), ...messages, assistantMsg("done"), userMsg("next")]
    for (const Kind of [OllamaChatFormatter, OllamaMultiAgentFormatter]) {
      for (const promoteToolResultImages of [true, false]) {
        const wire = (await new Kind({ promoteToolResultImages, saveMedia }).format(
          history,
        )) as readonly OllamaWireMessage[]
        const tools = wire.map(({ role }) => role).join(" ")
        const shown = promoteToolResultImages ? "user user " : ""
        expect(tools).toMatch(new RegExp(`^user assistant tool tool tool ${shown}(?:assistant )?user$`))
        expect(wire.flatMap((msg) => msg.tool_call_id ?? [])).toEqual(["c0", "c1", "c2"])
        expect(JSON.stringify(wire).split(png).length - 1).toBe(promoteToolResultImages ? 3 : 0)
      }
    }
  })

  it("are sent the same for a history that grows", () => {
    const formatter = new OllamaChatFormatter({ promoteToolResultImages: true, saveMedia })
    const [first, ...rest] = results.map((result) => toolResultMsg([result]))
    const begun = [assistantMsg(calls), first as Msg]
    const grown = [...begun, ...rest]
    expect(formatter.turns(begun)).toEqual(begun)
    const turns = formatter.turns(grown)
    expect(turns.map(({ content }) => content.length)).toEqual([3, 3])
    expect(formatter.turns([...grown, userMsg("next")])[1]).toBe(turns[1])
    expect(new OllamaChatFormatter().turns(grown)).toBe(grown)
  })
})
