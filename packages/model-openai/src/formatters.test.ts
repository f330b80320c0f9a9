import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  assistantMsg,
  createMsg,
  type ContentBlock,
  type Msg,
  systemMsg,
  toolResultMsg,
  userMsg,
} from "@agentscope-ts/message"
import type { Formatter } from "@agentscope-ts/model"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  DeepSeekChatFormatter,
  DeepSeekMultiAgentFormatter,
  OpenAIChatFormatter,
  OpenAIChatModel,
  OpenAIMultiAgentFormatter,
  type OpenAIWireMessage,
} from "./index.ts"

let dir = ""
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "formatters-"))
})
afterAll(() => rmSync(dir, { recursive: true }))

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const jpeg =
  "/9j/4AAQSkZJRgABAQEAYABgAAD/2wBDAAgGBgcGBQgHBwcJCQgKDBQNDAsLDBkSEw8UHRofHh0aHBwgJC4nICIsIxwcKDcpLDAxNDQ0Hyc5PTgyPC4zNDL/"
const wav = Buffer.from("RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0", "latin1").toString("base64")
const unsupported = expect.objectContaining({ code: "unsupported" }) as Error

const call = { type: "tool_use", id: "c1", name: "look", input: { at: "é" } } as const
const image = (url: string) => ({ type: "image", source: { type: "url", url } }) as const
const inline = (mediaType: string, data: string) =>
  ({ type: "image", source: { type: "base64", mediaType, data } }) as const
const resultOf = (...output: Parameters<typeof toolResultMsg>[0][number]["output"]) =>
  toolResultMsg([{ type: "tool_result", id: "c1", name: "look", output, state: "success" }])

async function wireOf(formatter: Formatter, ...messages: readonly Msg[]): Promise<readonly OpenAIWireMessage[]> {
  const wire = (await formatter.format(messages)) as readonly OpenAIWireMessage[]
  // message by message it must be the same, wherever that is possible
  if (formatter.incremental) {
    const single = messages.map((msg) => formatter.formatMessage?.(msg))
    if (single.every((part) => part !== undefined)) expect(single.flat()).toEqual(wire)
  }
  return wire
}

const partsOf = async (...blocks: readonly ContentBlock[]) =>
  (await wireOf(new OpenAIChatFormatter(), createMsg({ name: "u", role: "user", content: blocks })))[0]?.content

describe("OpenAIChatFormatter", () => {
  it("sends calls before their results, and text beside calls", async () => {
    const assistant = assistantMsg([{ type: "text", text: "Let me look." }, call])
    expect(await wireOf(new OpenAIChatFormatter(), assistant, resultOf({ type: "text", text: "a cat" }))).toEqual([
      {
        role: "assistant",
        name: "assistant",
        content: [{ type: "text", text: "Let me look." }],
        tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: '{"at":"é"}' } }],
      },
      { role: "tool", tool_call_id: "c1", name: "look", content: "a cat" },
    ])
  })

  it("FR-21 never sends thinking, and no message of nothing else", async () => {
    const formatter = new OpenAIChatFormatter()
    const thinking = { type: "thinking", thinking: "hm" } as const
    expect(await wireOf(formatter, assistantMsg([thinking]))).toEqual([])
    expect(JSON.stringify(await wireOf(formatter, assistantMsg([thinking, call])))).not.toContain("hm")
  })

  it("FR-31 tells arguments that did not parse as none", async () => {
    const broken = { ...call, input: {}, rawInput: '{"a":1,}' }
    const [message] = await wireOf(new OpenAIChatFormatter(), assistantMsg([broken]))
    expect(message?.tool_calls?.[0]?.function.arguments).toBe("{}")
  })

  it("makes names that OpenAI takes", async () => {
    const name = async (name: string) => (await wireOf(new OpenAIChatFormatter(), userMsg("x", { name })))[0]?.name
    expect(await name("Friday 2 <a|b>")).toBe("Friday_2_a_b_")
    expect(await name("小明")).toBe("小明")
    expect((await name("x".repeat(100)))?.length).toBe(64)
    expect(await name(" ")).toBe("_")
  })

  it("speaks plainly to other endpoints: text as strings, no names", async () => {
    const formatter = new OpenAIChatFormatter({ provider: "groq" })
    const texts = createMsg({
      name: "Bob",
      role: "user",
      content: [
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ],
    })
    expect(await wireOf(formatter, systemMsg("s"), texts, assistantMsg([call]))).toEqual([
      { role: "system", content: "s" },
      { role: "user", content: "a\nb" },
      { role: "assistant", content: null, tool_calls: [expect.anything()] },
    ])
    const shown = userMsg([{ type: "text", text: "see" }, image("https://h/a.png")])
    expect((await wireOf(formatter, shown))[0]?.content).toHaveLength(2)
  })

  it("leaves out what was drawn or said by the model, and films", async () => {
    const drawn = createMsg({
      name: "a",
      role: "assistant",
      content: [inline("image/png", png), { type: "text", text: "see" }],
    })
    expect((await wireOf(new OpenAIChatFormatter(), drawn))[0]?.content).toEqual([{ type: "text", text: "see" }])
    expect(
      await partsOf({ type: "video", source: { type: "url", url: "/no/such.mp4" } }, { type: "text", text: "x" }),
    ).toEqual([{ type: "text", text: "x" }])
  })
})

describe("pictures and sounds", () => {
  it("are sent as the web URL they have", async () => {
    const url = "https://h/a.png?x=1"
    expect(await partsOf(image(url))).toEqual([{ type: "image_url", image_url: { url } }])
  })

  it("FR-25 are of the type that their bytes show, under its proper name", async () => {
    const url = async (block: ContentBlock) => {
      const [part] = (await partsOf(block)) as unknown as { image_url: { url: string } }[]
      return part?.image_url.url.slice(0, 22)
    }
    expect(await url(inline("image/jpeg", png))).toBe("data:image/png;base64,")
    expect(await url(inline("image/png", jpeg))).toBe("data:image/jpeg;base64")
    expect(await url(image(`data:image/jpeg;base64,${png}`))).toBe("data:image/png;base64,")
    expect(await url(image(`data:;base64,${png}`))).toBe("data:image/png;base64,")
    // what bytes do not show is taken from the declaration
    expect(await url(inline("image/JPG", "ZmFrZSBpbWFnZQ=="))).toBe("data:image/jpeg;base64")
    writeFileSync(join(dir, "really-a.png.jpg"), Buffer.from(png, "base64"))
    expect(await url(image(join(dir, "really-a.png.jpg")))).toBe("data:image/png;base64,")
  })

  it("are read from files by path and by URL", async () => {
    writeFileSync(join(dir, "a b.wav"), Buffer.from(wav, "base64"))
    const expected = [{ type: "input_audio", input_audio: { data: wav, format: "wav" } }]
    for (const url of [join(dir, "a b.wav"), new URL(`file://${dir}/a%20b.wav`).href]) {
      expect(await partsOf({ type: "audio", source: { type: "url", url } })).toEqual(expected)
    }
  })

  it("are clear about what is wrong with a file", async () => {
    await expect(partsOf(image(join(dir, "missing.png")))).rejects.toMatchObject({
      code: "invalid_request",
      message: `The image ${JSON.stringify(join(dir, "missing.png"))} cannot be read: there is no such file.`,
    })
    await expect(partsOf(image(dir))).rejects.toThrow("it is a folder")
    writeFileSync(join(dir, "empty.png"), "")
    await expect(partsOf(image(join(dir, "empty.png")))).rejects.toThrow("it is empty")
    await expect(partsOf(image("file://host/x.png"))).rejects.toMatchObject({ code: "invalid_request" })
  })

  it("are refused in a kind that the wire does not take", async () => {
    const svg = Buffer.from('<?xml version="1.0"?><svg xmlns="x"></svg>').toString("base64")
    await expect(partsOf(inline("image/png", svg))).rejects.toThrow(
      "Chat Completions takes no image of type image/svg+xml, only image/png, image/jpeg, image/gif, image/webp",
    )
    await expect(partsOf(image(join(dir, "a b.wav")))).rejects.toThrow(unsupported)
    await expect(
      partsOf({ type: "audio", source: { type: "base64", mediaType: "audio/ogg", data: "T2dnUw==" } }),
    ).rejects.toThrow(unsupported)
    writeFileSync(join(dir, "unknown"), "what is it")
    await expect(partsOf(image(join(dir, "unknown")))).rejects.toThrow("It cannot be told what type")
    await expect(partsOf(inline("image/png", "!!!"))).rejects.toMatchObject({ code: "invalid_request" })
  })

  it("may be documents", async () => {
    const pdf = Buffer.from("%PDF-1.7 …").toString("base64")
    const file = (name?: string) =>
      ({
        type: "file",
        source: { type: "base64", mediaType: "application/pdf", data: pdf },
        ...(name && { name }),
      }) as const
    expect(await partsOf(file("paper.pdf"), file())).toEqual([
      { type: "file", file: { filename: "paper.pdf", file_data: `data:application/pdf;base64,${pdf}` } },
      { type: "file", file: { filename: "file.pdf", file_data: `data:application/pdf;base64,${pdf}` } },
    ])
  })
})

describe("tool results", () => {
  it("name where their media are, and save those that are nowhere", async () => {
    const [message] = await wireOf(new OpenAIChatFormatter(), resultOf(inline("image/png", png)))
    const path = /^The returned image can be found at: (.*\.png)$/.exec(message?.content as string)?.[1] ?? ""
    const { readFileSync } = await import("node:fs")
    expect(readFileSync(path).toString("base64")).toBe(png)
    // the same bytes are the same file
    expect((await wireOf(new OpenAIChatFormatter(), resultOf(inline("image/png", png))))[0]?.content).toBe(
      message?.content,
    )
    rmSync(path)
  })

  it("save through saveMedia", async () => {
    const saved: unknown[] = []
    const saveMedia = (source: unknown) => (saved.push(source), Promise.resolve("s3://kept"))
    for (const formatter of [new OpenAIChatFormatter({ saveMedia }), new DeepSeekChatFormatter({ saveMedia })]) {
      const [message] = await wireOf(
        formatter,
        resultOf({ type: "text", text: "a" }, image(`data:image/png;base64,${png}`)),
      )
      expect(message?.content).toBe("- a\n- The returned image can be found at: s3://kept")
    }
    expect(saved[0]).toEqual({ mediaType: "image/png", data: png })
  })

  it("without output are empty text", async () => {
    expect((await wireOf(new OpenAIChatFormatter(), resultOf()))[0]?.content).toBe("")
  })

  it("show their pictures once more where that is wanted", async () => {
    const formatter = new OpenAIChatFormatter({ promoteToolResultImages: true })
    const sound = { type: "audio", source: { type: "url", url: "https://h/a.wav" } } as const
    const wire = await wireOf(formatter, resultOf(image("https://h/a.png"), sound, image("https://h/b.png")))
    expect(wire).toHaveLength(2)
    const promoted = (wire[1]?.content ?? []) as readonly { type: string; text?: string }[]
    const texts = promoted.map((part) => part.text ?? part.type)
    expect(texts).toEqual([
      "<system-info>The following are the image contents from the tool result of 'look':",
      "\n- The image from 'https://h/a.png': ",
      "image_url",
      "\n- The image from 'https://h/b.png': ",
      "image_url",
      "</system-info>",
    ])
    expect(await wireOf(formatter, resultOf(sound))).toHaveLength(1)
  })

  it("of one turn come all before their pictures, in one message or in several", async () => {
    const results = ["c1", "c2"].map(
      (id) =>
        ({ type: "tool_result", id, name: "look", output: [inline("image/png", png)], state: "success" }) as const,
    )
    const calls = assistantMsg(results.map(({ id }) => ({ type: "tool_use", id, name: "look", input: {} })))
    const options = { promoteToolResultImages: true, saveMedia: async () => "kept" }
    for (const formatter of [new OpenAIChatFormatter(options), new OpenAIMultiAgentFormatter(options)]) {
      for (const told of [[toolResultMsg(results)], results.map((result) => toolResultMsg([result]))]) {
        const wire = await formatter.format([userMsg("hi"), calls, ...told])
        expect(wire.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool", "user", "user"])
      }
    }
  })

  it("show their pictures to a model that is known to see them, unasked", async () => {
    const output = resultOf(image("https://h/a.png"))
    for (const [model, facts, sees] of [
      ["gpt-4o", undefined, true],
      ["o3-mini", undefined, false],
      ["mine", undefined, false],
      ["mine", { inputs: ["text", "image"] }, true],
      ["gpt-4o", { inputs: ["text"] }, false],
      ["mine", { mine: { inputs: ["text", "image"] } }, true],
    ] as const) {
      for (const formatter of ["chat", "multi-agent"] as const) {
        const chat = new OpenAIChatModel({ model, facts, apiKey: "k", formatter })
        const wire = await chat.formatter.format([userMsg("hi"), assistantMsg([call]), output])
        expect(JSON.stringify(wire).includes('"image_url"')).toBe(sees)
      }
    }
    expect(JSON.stringify(await wireOf(new OpenAIChatFormatter(), output))).not.toContain('"image_url"')
  })
})

describe("multi-agent formatters", () => {
  const talk = [userMsg("Hi", { name: "Ann" }), assistantMsg("Hello", { name: "Bob" })]
  const history = "<history>\nAnn: Hi\nBob: Hello\n</history>"

  it("introduce the first history only, in the words given", async () => {
    const more = [assistantMsg([call]), resultOf({ type: "text", text: "ok" }), userMsg("Bye", { name: "Ann" })]
    for (const Formatter of [OpenAIMultiAgentFormatter, DeepSeekMultiAgentFormatter]) {
      const wire = await wireOf(new Formatter({ conversationHistoryPrompt: "# Before\n" }), ...talk, ...more)
      const texts = wire.map(({ role, content }) => [
        role,
        Array.isArray(content) ? (content[0] as { text: string }).text : content,
      ])
      expect(texts).toEqual([
        ["user", `# Before\n${history}`],
        ["assistant", null],
        ["tool", "ok"],
        ["user", "<history>\nAnn: Bye\n</history>"],
      ])
    }
  })

  it("put pictures behind the text, and do without text", async () => {
    const picture = userMsg([image("https://h/a.png")], { name: "Ann" })
    const [message] = await wireOf(new OpenAIMultiAgentFormatter({ conversationHistoryPrompt: "" }), picture, ...talk)
    expect(message?.content).toEqual([
      { type: "text", text: history },
      { type: "image_url", image_url: { url: "https://h/a.png" } },
    ])
    expect((await wireOf(new OpenAIMultiAgentFormatter(), picture))[0]?.content).toHaveLength(1)
    expect(await wireOf(new DeepSeekMultiAgentFormatter(), picture)).toEqual([])
  })

  it("are no formatters of single messages", () => {
    expect(new OpenAIMultiAgentFormatter().incremental).toBe(false)
    expect(new OpenAIChatFormatter().incremental).toBe(true)
  })
})

describe("DeepSeekChatFormatter", () => {
  it("FR-21 sends thinking back with the calls it led to", async () => {
    const assistant = assistantMsg([{ type: "thinking", thinking: "I should look" }, call])
    expect(await wireOf(new DeepSeekChatFormatter(), assistant, resultOf({ type: "text", text: "ok" }))).toEqual([
      {
        role: "assistant",
        content: null,
        reasoning_content: "I should look",
        tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: '{"at":"é"}' } }],
      },
      { role: "tool", tool_call_id: "c1", name: "look", content: "ok" },
    ])
  })

  it("keeps a message of nothing but thinking", async () => {
    const assistant = assistantMsg([
      { type: "thinking", thinking: "a" },
      { type: "thinking", thinking: "b" },
    ])
    expect(await wireOf(new DeepSeekChatFormatter(), assistant)).toEqual([
      { role: "assistant", content: "", reasoning_content: "a\nb" },
    ])
  })

  it("joins texts, and leaves pictures out", async () => {
    const shown = userMsg([{ type: "text", text: "a" }, image("/no/such.png"), { type: "text", text: "b" }])
    expect(await wireOf(new DeepSeekChatFormatter(), shown)).toEqual([{ role: "user", content: "a\nb" }])
    expect(await wireOf(new DeepSeekChatFormatter(), userMsg([image("/no/such.png")]))).toEqual([])
  })
})

it("leaves out the oldest turns where a limit of tokens is set", async () => {
  const tokenCounter = { count: (messages: readonly Msg[]) => Promise.resolve(messages.length * 10) }
  const formatter = new OpenAIChatFormatter({ maxTokens: 30, tokenCounter })
  expect(formatter.incremental).toBe(false)
  const wire = await wireOf(formatter, systemMsg("s"), userMsg("a"), assistantMsg("b"), userMsg("c"), assistantMsg("d"))
  expect(wire.map(({ role }) => role)).toEqual(["system", "user", "assistant"])
})
