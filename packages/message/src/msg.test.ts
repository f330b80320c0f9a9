import { expect, test } from "vitest"
import {
  AgentScopeError,
  assistantMsg,
  type ContentBlock,
  createMsg,
  type Role,
  systemMsg,
  type ToolResultBlock,
  toolResultMsg,
  userMsg,
} from "./index.ts"

const result: ToolResultBlock = { type: "tool_result", id: "c", name: "t", output: [], state: "success" }
const blocks: Record<string, ContentBlock> = {
  text: { type: "text", text: "a" },
  thinking: { type: "thinking", thinking: "a" },
  image: { type: "image", source: { type: "url", url: "a.png" } },
  audio: { type: "audio", source: { type: "base64", mediaType: "audio/wav", data: "" } },
  video: { type: "video", source: { type: "url", url: "a.mp4" } },
  file: { type: "file", source: { type: "url", url: "a.pdf" }, name: "a" },
  tool_use: { type: "tool_use", id: "c", name: "t", input: {} },
  tool_result: result,
}
const media = ["image", "audio", "video", "file"]
const allowed: Record<Role, string[]> = {
  user: ["text", ...media],
  system: ["text"],
  assistant: ["text", "thinking", ...media, "tool_use"],
  tool: ["tool_result"],
}

test.each([
  ["user", userMsg("hi"), "user"],
  ["assistant", assistantMsg("hi"), "assistant"],
  ["system", systemMsg("hi"), "system"],
] as const)("%s: a string becomes one text block; id, time and name are made", (role, msg, name) => {
  expect(msg).toEqual({
    id: expect.stringMatching(/^[\w-]{16}$/),
    name,
    role,
    content: [{ type: "text", text: "hi" }],
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  })
})

test("names, metadata and blocks are taken as given", () => {
  const content = [blocks["image"]] as Parameters<typeof userMsg>[0]
  const msg = userMsg(content, { name: "Ann", metadata: { lang: "en" } })
  expect(msg).toMatchObject({ name: "Ann", metadata: { lang: "en" } })
  expect(msg.content).toBe(content)
  expect(toolResultMsg([result])).toMatchObject({ role: "tool", name: "tool", content: [result] })
})

test("a message survives JSON unchanged, and absent fields are absent", () => {
  const msg = assistantMsg([{ type: "tool_use", id: "c", name: "t", input: { a: [1, null] } }])
  expect(JSON.parse(JSON.stringify(msg))).toEqual(msg)
  expect(Object.keys(msg)).toEqual(["id", "name", "role", "content", "timestamp"])
})

const pairs = Object.entries(allowed).flatMap(([role, types]) =>
  Object.keys(blocks).map((type) => [role as Role, type, types.includes(type)] as const),
)
test.each(pairs)("createMsg: %s with %s: %s", (role, type, ok) => {
  const make = () => createMsg({ name: "n", role, content: [blocks[type] as ContentBlock] })
  if (ok) expect(make().content).toEqual([blocks[type]])
  else expect(make).toThrow(new RegExp(`createMsg: content\\[0\\] of type "${type}" cannot stand in a ${role} message`))
})

test("createMsg keeps id, time and the rest, and makes what is absent", () => {
  const usage = { inputTokens: 1, outputTokens: 2, timeMs: 3 }
  const init = { name: "n", role: "assistant", content: "a", finishReason: "completed", usage } as const
  const msg = createMsg({ ...init, id: "fixed", timestamp: "2025-01-01T00:00:00.000Z", structured: { a: 1 } })
  expect(msg).toMatchObject({ id: "fixed", finishReason: "completed", usage, structured: { a: 1 } })
  expect(msg.timestamp).toBe("2025-01-01T00:00:00.000Z")
  expect(createMsg(init).id).not.toBe(createMsg(init).id)
})

test.each<[unknown, RegExp]>([
  [{ role: "bot", content: "a" }, /role "bot" is not one of user, system, assistant, tool/],
  [{ role: "constructor", content: "a" }, /role "constructor" is not one of/],
  [{ content: "a" }, /role undefined/],
  [{ role: "user", content: { type: "text" } }, /content must be a string or a list/],
  [{ role: "user", content: ["a"] }, /content\[0\] of type undefined/],
  [{ role: "user", content: [blocks["text"], null] }, /content\[1\] of type undefined/],
])("createMsg refuses %j", (init, message) => {
  let caught: unknown
  try {
    createMsg({ name: "n", ...(init as object) } as Parameters<typeof createMsg>[0])
  } catch (error) {
    caught = error
  }
  expect(AgentScopeError.is(caught, "invalid_message")).toBe(true)
  expect((caught as Error).message).toMatch(message)
})

const noContent: unknown[] = [
  undefined,
  null,
  5,
  {},
  ["hi"],
  [undefined],
  [null],
  [{ text: "no type" }],
  Array.from({ length: 1 }),
]
test.each(noContent)("content that is none is refused by each factory (%#)", (content) => {
  for (const make of [userMsg, assistantMsg, systemMsg, toolResultMsg]) {
    const act = () => make(content as never)
    expect(act).toThrow(expect.objectContaining({ code: "invalid_argument" }))
    expect(act).toThrow(new RegExp(`^${make.name}: the content is .* Give a `))
  }
})
