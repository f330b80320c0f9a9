import { toolUsesOf, userMsg, type JsonObject, type JsonSchema } from "@agentscope-ts/message"
import { expect, test } from "vitest"
import { OfflineChatModel } from "./index.ts"

const s = { type: "string" } as const
const toolOf = (name: string, properties: Record<string, JsonSchema>, required = Object.keys(properties)) => ({
  name,
  description: "A tool",
  parameters: { type: "object", properties, required } as const,
})
const tools = [
  toolOf("wipe_disk", { disk: s, passes: { type: "integer" } }, ["disk"]),
  toolOf("write_file", { path: s, content: s }),
  toolOf("save_record", { record: { type: "object" } }),
]

test.each<[string, string, JsonObject]>([
  ['call wipe_disk with {"disk":"sda"}', "wipe_disk", { disk: "sda" }],
  ['call wipe_disk with { "disk": "sda", "passes": 3 }.', "wipe_disk", { disk: "sda", passes: 3 }],
  [
    'Use the tool wipe_disk: {\n  "passes": 2,\n  "disk": "then read it"\n}',
    "wipe_disk",
    { disk: "then read it", passes: 2 },
  ],
  ['call wipe_disk with `{"disk":"sda"}`', "wipe_disk", { disk: "sda" }],
  ['wipe_disk({"disk":"sda"})', "wipe_disk", { disk: "sda" }],
  [
    'call write_file with {"path":"a.txt","content":"list the files"}',
    "write_file",
    { path: "a.txt", content: "list the files" },
  ],
  ['call save_record with {"id":7,"tags":["a"]}', "save_record", { record: { id: 7, tags: ["a"] } }],
  ['call save_record with {"record":{"id":7}}', "save_record", { record: { id: 7 } }],
])("a JSON object in the request is the arguments: %s", async (request, name, input) => {
  const answer = await new OfflineChatModel().generate({ messages: [userMsg(request)], tools })
  expect(toolUsesOf(answer)).toMatchObject([{ name, input }])
  expect(toolUsesOf(answer)[0]?.input).toEqual(input)
})

test("nothing is made up for a JSON object without what the tool needs", async () => {
  const answer = await new OfflineChatModel().generate({
    messages: [userMsg('call wipe_disk with {"dsk":"sda"}')],
    tools,
  })
  expect(toolUsesOf(answer)).toEqual([])
})
