import { assistantMsg, type Msg, systemMsg, type ToolResultBlock, toolResultMsg, userMsg } from "@agentscope-ts/message"
import { describe, expect, it } from "vitest"
import { Formatter } from "../formatter.ts"
import { ConversationBody } from "./conversation-body.ts"
import { conversationHistoryPrompt, historyGroups, historyText } from "./history-groups.ts"
import { renderBody } from "./render-body.ts"
import { needsSaving, savedToolResultText, toolResultText } from "./tool-result-text.ts"

const use = { type: "tool_use", id: "1", name: "f", input: {} } as const
const result = (...output: ToolResultBlock["output"]): ToolResultBlock => ({
  type: "tool_result",
  id: "1",
  name: "f",
  output,
  state: "success",
})
const text = (text: string) => ({ type: "text", text }) as const

describe("historyGroups", () => {
  it("cuts a history into its head, talk, and runs of tools", () => {
    const call = assistantMsg([use])
    const answer = toolResultMsg([result(text("ok"))])
    const history = [
      systemMsg("s"),
      userMsg("a"),
      assistantMsg("b"),
      call,
      answer,
      call,
      answer,
      userMsg("c"),
      systemMsg("t"),
    ]
    expect(historyGroups(history).map(({ type, messages, first }) => [type, messages.length, first])).toEqual([
      ["system", 1, false],
      ["talk", 2, true],
      ["tools", 4, false],
      ["talk", 2, false],
    ])
    expect(historyGroups([])).toEqual([])
  })

  it("writes talk down by speaker", () => {
    const messages = [
      userMsg("Hi", { name: "Ann" }),
      assistantMsg([{ type: "thinking", thinking: "hm" }, text("a"), text("b")], { name: "Bob" }),
    ]
    expect(historyText(messages, conversationHistoryPrompt)).toBe(
      "# Conversation History\nThe content between <history></history> tags contains your conversation history\n<history>\nAnn: Hi\nBob: a\nBob: b\n</history>",
    )
    expect(historyText([assistantMsg([{ type: "thinking", thinking: "hm" }])], "x")).toBe("")
  })
})

describe("toolResultText", () => {
  const picture = { type: "image", source: { type: "url", url: "/a.png" } } as const
  const inline = { type: "audio", source: { type: "base64", mediaType: "audio/wav", data: "AAAA" } } as const

  it("is the text itself, or a line for each block", () => {
    expect(toolResultText(result()).text).toBe("")
    expect(toolResultText(result(text("a\nb"))).text).toBe("a\nb")
    expect(toolResultText(result(picture)).text).toBe("The returned image can be found at: /a.png")
    expect(toolResultText(result(text("a"), picture)).text).toBe("- a\n- The returned image can be found at: /a.png")
  })

  it("saves what is in memory only, and keeps the media with their places", async () => {
    expect(needsSaving(result(text("a"), picture))).toBe(false)
    expect(needsSaving(result(inline))).toBe(true)
    const saved: unknown[] = []
    const saveMedia = (source: unknown) => (saved.push(source), Promise.resolve(`/saved/${saved.length}`))
    const data = { type: "image", source: { type: "url", url: "data:image/png,x" } } as const
    expect(await savedToolResultText(result(picture, inline, data), saveMedia)).toEqual({
      text: "- The returned image can be found at: /a.png\n- The returned audio can be found at: /saved/1\n- The returned image can be found at: /saved/2",
      media: [
        { block: picture, url: "/a.png" },
        { block: inline, url: "/saved/1" },
        { block: data, url: "/saved/2" },
      ],
    })
    expect(saved).toEqual([inline.source, { mediaType: "image/png", data: "eA==" }])
  })
})

describe("renderBody", () => {
  class Plain extends Formatter<string> {
    calls = 0
    protected override formatAll(messages: readonly Msg[]): string[] {
      this.calls++
      return messages.map(({ id }) => id)
    }
  }
  class Single extends Plain {
    override formatMessage(msg: Msg): readonly string[] | undefined {
      return msg.role === "system" ? undefined : msg.name === "twice" ? [msg.id, msg.id] : [msg.id]
    }
  }
  const bodyOf = async (formatter: Formatter, body: ConversationBody, messages: readonly Msg[]) =>
    JSON.parse(new TextDecoder().decode(await renderBody(body, '{"m":[', formatter, messages))) as { m: string[] }

  it("formats the whole history where messages depend on each other", async () => {
    const [formatter, body] = [new Plain(), new ConversationBody()]
    const messages = [userMsg("a"), userMsg("b")]
    for (let i = 1; i <= 3; i++) {
      expect((await bodyOf(formatter, body, messages)).m).toEqual(messages.map(({ id }) => id))
      expect(formatter.calls).toBe(i)
      messages.push(userMsg("c"))
    }
  })

  it("formats only what is new where they do not, and waits for those that need it", async () => {
    const [formatter, body] = [new Single(), new ConversationBody()]
    const messages = [userMsg("a"), userMsg("b", { name: "twice" })]
    expect(renderBody(body, '{"m":[', formatter, messages)).toBeInstanceOf(Uint8Array)
    messages.push(systemMsg("slow"), userMsg("c"))
    const ids = messages.flatMap(({ id, name }) => (name === "twice" ? [id, id] : [id]))
    expect((await bodyOf(formatter, body, messages)).m).toEqual(ids)
    expect(formatter.calls).toBe(1)
    expect((await bodyOf(formatter, body, messages)).m).toEqual(ids)
    expect(formatter.calls).toBe(1)
  })

  it("passes on what a formatter throws", () => {
    const formatter = new Single()
    formatter.formatMessage = () => {
      throw new RangeError("no")
    }
    expect(() => renderBody(new ConversationBody(), "[", formatter, [userMsg("a")])).toThrow(RangeError)
  })
})
