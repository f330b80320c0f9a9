import { assistantMsg, type Msg, toolResult, toolResultMsg, userMsg } from "@agentscope-ts/message"
import { expect, test } from "vitest"
import { type MessageSaid, ToolRoleFormatter } from "./tool-role-formatter.ts"
import { usualMediaForms } from "./usual-media-forms.ts"

interface Wire {
  readonly role: string
  readonly content: string | readonly string[]
  readonly thinking?: string
  readonly calls?: readonly string[]
}

class Chat extends ToolRoleFormatter<Wire, string> {
  constructor(promoteToolResultImages = false) {
    const promoted = promoteToolResultImages ? (["image"] as const) : []
    super(usualMediaForms({ kinds: ["image"], promoted, sent: () => "[image]" }), { promoteToolResultImages })
  }
  protected override text = (text: string): string => text
  protected override message = (role: string, content: readonly string[]): Wire => ({ role, content })
  protected override said({ role }: Msg, { parts, calls, thinking }: MessageSaid<string>): Wire | undefined {
    if (parts.length + calls.length === 0) return undefined
    return { role, content: parts, thinking, calls: calls.map(({ name }) => name) }
  }
}

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const image = { type: "image", source: { type: "base64", mediaType: "image/png", data: png } } as const
const call = { type: "tool_use", id: "1", name: "look", input: {} } as const
const thoughts = ["Hm.", "", "So."].map((thinking) => ({ type: "thinking", thinking }) as const)

test("results come first, each a message of its own; then what is said, with its thoughts and calls", () => {
  const formatter = new Chat()
  const results = toolResultMsg([toolResult(call, "rain"), toolResult({ ...call, id: "2" }, "sun")])
  const said = assistantMsg([...thoughts, { type: "text", text: "Let me see." }, image, call])
  const tool = { role: "tool", name: "look" }
  expect(
    [results, said, { ...results, content: [...results.content, image] }].map((msg) => formatter.formatMessage(msg)),
  ).toEqual([
    [
      { ...tool, tool_call_id: "1", content: "rain" },
      { ...tool, tool_call_id: "2", content: "sun" },
    ],
    [{ role: "assistant", content: ["Let me see."], thinking: "Hm.\nSo.", calls: ["look"] }],
    [
      { ...tool, tool_call_id: "1", content: "rain" },
      { ...tool, tool_call_id: "2", content: "sun" },
      { role: results.role, content: ["[image]"], thinking: "", calls: [] },
    ],
  ])
  expect(formatter.formatMessage(userMsg([]))).toEqual([])
})

test("pictures of results are shown after all results of a turn, however many messages brought them", async () => {
  const at = { ...image, source: { type: "url", url: `data:image/png;base64,${png}` } } as const
  const results = ["1", "2"].map((id) => toolResultMsg([toolResult({ ...call, id }, [at])]))
  const roles = async (promotes: boolean) => (await new Chat(promotes).format(results)).map(({ role }) => role)
  expect(await roles(true)).toEqual(["tool", "tool", "user", "user"])
  expect(await roles(false)).toEqual(["tool", "tool"])
})
