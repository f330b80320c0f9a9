import { type ContentBlock, type Msg, type ToolResultBlock, userMsg } from "@agentscope-ts/message"
import { expect, test } from "vitest"
import { PartsFormatter, type PartsRole } from "./parts-formatter.ts"
import { PartsHistoryFormatter } from "./parts-history-formatter.ts"
import { usualMediaForms } from "./usual-media-forms.ts"

interface Wire {
  readonly role: PartsRole
  readonly parts: readonly string[]
}

const media = usualMediaForms<string>({
  kinds: ["image"],
  named: (text) => text,
  inResults: true,
  sent: () => "[image]",
})

class Chat extends PartsFormatter<Wire, string> {
  constructor() {
    super(media)
  }
  override message = (role: PartsRole, parts: readonly string[]): Wire => ({ role, parts })
  override text = (text: string): string | undefined => text || undefined
  protected override thinking = (): undefined => undefined
  protected override call = ({ name }: { readonly name: string }): string => `${name}()`
  protected override result = ({ output }: ToolResultBlock): string => `${output.length} blocks`
}

const text = (said: string): ContentBlock => ({ type: "text", text: said })
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const image: ContentBlock = { type: "image", source: { type: "base64", mediaType: "image/png", data: png } }
const sound: ContentBlock = { type: "audio", source: { type: "url", url: "https://h/a.wav" } }
const msg = (role: Msg["role"], ...content: readonly ContentBlock[]): Msg => ({
  ...userMsg("x"),
  role,
  name: "u",
  content,
})
const messages = [
  msg("system", text("Be brief.")),
  msg("user", text(""), sound, image),
  msg("assistant", { type: "tool_use", id: "1", name: "look", input: {} }, text("Let me see."), image),
  msg("user", text("now"), { type: "tool_result", id: "1", name: "look", output: [], state: "success" }),
  msg("user", text("")),
]

test("results stand first and apart, calls last; what has no parts is no message", async () => {
  expect(await new Chat().format(messages)).toEqual([
    { role: "system", parts: ["Be brief."] },
    { role: "user", parts: ["[image]"] },
    { role: "assistant", parts: ["Let me see.", "look()"] },
    { role: "user", parts: ["0 blocks"] },
    { role: "user", parts: ["now"] },
  ])
})

test("talk of several speakers is made of the same messages and texts", async () => {
  class Several extends PartsHistoryFormatter<Wire, string> {}
  const formatter = new Several({ chat: new Chat(), media, kinds: ["image"] }, { conversationHistoryPrompt: "" })
  expect(await formatter.format(messages.slice(0, 2))).toEqual([
    { role: "system", parts: ["Be brief."] },
    { role: "user", parts: ["<history>\nu: ", "[image]", "</history>"] },
  ])
})
