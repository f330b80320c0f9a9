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
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { DashScopeChatFormatter, DashScopeMultiAgentFormatter, type DashScopeWireMessage } from "./index.ts"

let dir = ""
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "formatters-"))
})
afterAll(() => rmSync(dir, { recursive: true }))

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const wav = Buffer.from("RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0", "latin1").toString("base64")
const text = (text: string) => ({ type: "text", text }) as const
const image = (url: string) => ({ type: "image", source: { type: "url", url } }) as const
const inline = (type: "image" | "audio" | "video", mediaType: string, data: string) =>
  ({ type, source: { type: "base64", mediaType, data } }) as const
const call = { type: "tool_use", id: "c1", name: "look", input: { at: "é" } } as const
const wireCall = { id: "c1", type: "function", function: { name: "look", arguments: '{"at":"é"}' } }
const resultOf = (...output: Parameters<typeof toolResultMsg>[0][number]["output"]) =>
  toolResultMsg([{ type: "tool_result", id: "c1", name: "look", output, state: "success" }])

async function wireOf(formatter: Formatter, ...messages: readonly Msg[]): Promise<readonly DashScopeWireMessage[]> {
  const wire = (await formatter.format(messages)) as readonly DashScopeWireMessage[]
  // message by message it must be the same, wherever that is possible
  if (formatter.incremental) {
    const single = messages.map((msg) => formatter.formatMessage?.(msg))
    if (single.every((part) => part !== undefined)) expect(single.flat()).toEqual(wire)
  }
  return wire
}

const contentOf = async (...content: readonly ContentBlock[]) =>
  (await wireOf(new DashScopeChatFormatter(), createMsg({ name: "u", role: "user", content })))[0]?.content

describe("DashScopeChatFormatter", () => {
  it("says text as one string", async () => {
    expect(await contentOf(text("a"), text(""), text("b"))).toBe("a\nb")
    expect(await wireOf(new DashScopeChatFormatter(), systemMsg("s"), assistantMsg([]))).toEqual([
      { role: "system", content: "s" },
    ])
  })

  it("FR-21 sends thinking back with the calls it led to, and with nothing else", async () => {
    const thinking = { type: "thinking", thinking: "I should look" } as const
    const history = [
      assistantMsg([thinking, text("Wait."), call]),
      resultOf(text("ok")),
      assistantMsg([thinking, text("Done")]),
    ]
    expect(await wireOf(new DashScopeChatFormatter(), ...history, assistantMsg([thinking]))).toEqual([
      { role: "assistant", content: "Wait.", reasoning_content: "I should look", tool_calls: [wireCall] },
      { role: "tool", tool_call_id: "c1", content: "ok", name: "look" },
      { role: "assistant", content: "Done" },
    ])
  })

  it("shows media of people only, and what the wire has no form for to nobody", async () => {
    const file = { type: "file", source: { type: "url", url: "/no/such.pdf" } } as const
    expect(await contentOf(file, text("x"))).toBe("x")
    expect(await contentOf(file)).toBeUndefined()
    const drawn = createMsg({ name: "a", role: "assistant", content: [image("/no/such.png"), text("see")] })
    expect(await wireOf(new DashScopeChatFormatter(), drawn)).toEqual([{ role: "assistant", content: "see" }])
  })
})

describe("media", () => {
  it("of the web and of the service's own store stay where they are", async () => {
    for (const url of ["https://h/a.png?x=1", "oss://bucket/a.png"]) {
      expect(await contentOf(image(url))).toEqual([{ image: url }])
    }
  })

  it("of files and in memory are sent with the request", async () => {
    writeFileSync(join(dir, "a.png"), png, "base64")
    const data = { image: `data:image/png;base64,${png}` }
    for (const block of [
      image(join(dir, "a.png")),
      image(new URL(`file://${dir}/a.png`).href),
      image(`data:;base64,${png}`),
    ]) {
      expect(await contentOf(text("see"), block)).toEqual([{ text: "see" }, data])
    }
    expect(await contentOf(inline("audio", "audio/wav", wav), inline("video", "video/mp4", "ZmFrZQ=="))).toEqual([
      { audio: `data:audio/wav;base64,${wav}` },
      { video: "data:video/mp4;base64,ZmFrZQ==" },
    ])
  })

  it("FR-25 are of the type that their bytes show, under its proper name", async () => {
    expect(await contentOf(inline("image", "image/jpeg", png))).toEqual([{ image: `data:image/png;base64,${png}` }])
    expect(await contentOf(inline("image", "image/jpg", "ZmFrZQ=="))).toEqual([
      { image: "data:image/jpeg;base64,ZmFrZQ==" },
    ])
  })

  it("FR-25 of a kind that the service does not read are refused", async () => {
    const svg = Buffer.from('<svg xmlns="x"></svg>').toString("base64")
    const unsupported = { code: "unsupported" }
    await expect(contentOf(inline("image", "image/png", svg))).rejects.toMatchObject(unsupported)
    await expect(contentOf(inline("audio", "audio/wav", png))).rejects.toMatchObject(unsupported)
    await expect(contentOf(image(join(dir, "missing.png")))).rejects.toThrow("there is no such file")
  })
})

describe("tool results", () => {
  const promoting = { promoteToolResultImages: true, promoteToolResultAudios: true }
  const output = [image("https://h/a.png"), inline("audio", "audio/wav", wav)] as const

  it("name where their media are", async () => {
    const formatter = new DashScopeChatFormatter({ saveMedia: () => Promise.resolve("/tmp/x.wav") })
    const [message, ...rest] = await wireOf(formatter, resultOf(text("two"), ...output))
    expect(message?.content).toBe(
      "- two\n- The returned image can be found at: https://h/a.png\n- The returned audio can be found at: /tmp/x.wav",
    )
    expect(rest).toEqual([])
  })

  it("show media once more where that is wanted: from where the service can read them, else with the request", async () => {
    const saved = async (url: string) => {
      const formatter = new DashScopeChatFormatter({ ...promoting, saveMedia: () => Promise.resolve(url) })
      const [, shown] = await wireOf(formatter, resultOf(...output))
      expect(shown?.role).toBe("user")
      return shown?.content
    }
    const start = { text: "<system-info>The following are the media contents from the tool result of 'look':" }
    const picture = [{ text: "\n- The image from 'https://h/a.png': " }, { image: "https://h/a.png" }]
    const end = { text: "</system-info>" }
    expect(await saved("https://kept/x.wav")).toEqual([
      start,
      ...picture,
      { text: "\n- The audio from 'https://kept/x.wav': " },
      { audio: "https://kept/x.wav" },
      end,
    ])
    for (const local of ["/tmp/x.wav", "C:\\x.wav", "file:///tmp/x.wav", "./x.wav"]) {
      const content = (await saved(local)) as readonly object[]
      expect(content[4]).toEqual({ audio: `data:audio/wav;base64,${wav}` })
    }
  })

  it("of other kinds stay named only", async () => {
    const formatter = new DashScopeChatFormatter({ promoteToolResultVideos: true })
    expect(await wireOf(formatter, resultOf(output[0]))).toHaveLength(1)
  })
})

describe("DashScopeMultiAgentFormatter", () => {
  const talk = [userMsg("Hi", { name: "Ann" }), assistantMsg("Hello", { name: "Bob" })]

  it("makes one user message of a run of talk, with media where they stand", async () => {
    const formatter = new DashScopeMultiAgentFormatter({ conversationHistoryPrompt: "# Before\n" })
    const picture = userMsg([image("https://h/a.png"), text("see")], { name: "Ann" })
    expect(await wireOf(formatter, systemMsg("s"), ...talk, picture)).toEqual([
      { role: "system", content: "s" },
      {
        role: "user",
        content: [
          { text: "# Before\n<history>\nAnn: Hi\nBob: Hello" },
          { image: "https://h/a.png" },
          { text: "Ann: see\n</history>" },
        ],
      },
    ])
  })

  it("introduces the first history only, and leaves tool calls as they are", async () => {
    const formatter = new DashScopeMultiAgentFormatter({ conversationHistoryPrompt: "# Before\n" })
    const history = [...talk, assistantMsg([call]), resultOf(text("ok")), userMsg("Bye", { name: "Ann" })]
    expect((await wireOf(formatter, ...history)).map(({ role, content }) => [role, content])).toEqual([
      ["user", "# Before\n<history>\nAnn: Hi\nBob: Hello\n</history>"],
      ["assistant", []],
      ["tool", "ok"],
      ["user", "<history>\nAnn: Bye\n</history>"],
    ])
  })

  it("counts tokens of the whole history, not of its parts", async () => {
    const tokenCounter = { count: (messages: readonly Msg[]) => Promise.resolve(messages.length * 10) }
    const formatter = new DashScopeMultiAgentFormatter({ maxTokens: 20, tokenCounter })
    const wire = await wireOf(formatter, systemMsg("s"), ...talk)
    expect(wire.map(({ role }) => role)).toEqual(["system", "user"])
  })
})

describe("promoted media of several results", () => {
  const picture = inline("image", "image/png", png)
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
    for (const Kind of [DashScopeChatFormatter, DashScopeMultiAgentFormatter]) {
      for (const promoteToolResultImages of [true, false]) {
        const wire = (await new Kind({ promoteToolResultImages, saveMedia }).format(
          history,
        )) as readonly DashScopeWireMessage[]
        const tools = wire.map(({ role }) => role).join(" ")
        const shown = promoteToolResultImages ? "user user " : ""
        expect(tools).toMatch(new RegExp(`^user assistant tool tool tool ${shown}(?:assistant )?user$`))
        expect(wire.flatMap((msg) => msg.tool_call_id ?? [])).toEqual(["c0", "c1", "c2"])
        expect(JSON.stringify(wire).split(png).length - 1).toBe(promoteToolResultImages ? 3 : 0)
      }
    }
  })

  it("are sent the same for a history that grows", () => {
    const formatter = new DashScopeChatFormatter({ promoteToolResultImages: true, saveMedia })
    const [first, ...rest] = results.map((result) => toolResultMsg([result]))
    const begun = [assistantMsg(calls), first as Msg]
    const grown = [...begun, ...rest]
    expect(formatter.turns(begun)).toEqual(begun)
    const turns = formatter.turns(grown)
    expect(turns.map(({ content }) => content.length)).toEqual([3, 3])
    expect(formatter.turns([...grown, userMsg("next")])[1]).toBe(turns[1])
    expect(new DashScopeChatFormatter().turns(grown)).toBe(grown)
  })
})
