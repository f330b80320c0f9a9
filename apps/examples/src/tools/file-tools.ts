// view_text_file, list_directory, write_text_file and insert_text_file inside a root that they never leave.
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type JsonObject, textOf } from "@agentscope-ts/message"
import { Toolkit } from "@agentscope-ts/tool"
import { fileTools } from "@agentscope-ts/tools-system"

const root = await mkdtemp(join(tmpdir(), "workspace-"))
// edits inside the root need no question here
const approval = { mode: "accept_edits" } as const
const toolkit = new Toolkit({ tools: fileTools({ root }) })

async function call(name: string, input: JsonObject) {
  const { state, output } = await toolkit.execute({ type: "tool_use", id: "1", name, input }, { approval }).result
  console.log(`${name}: ${state}\n${textOf({ content: output }).replaceAll(root, "ROOT")}\n`)
}

try {
  await call("write_text_file", { file_path: "notes/tea.txt", content: "green\nblack\n" })
  await call("insert_text_file", { file_path: "notes/tea.txt", content: "white", line_number: 2 })
  await call("write_text_file", { file_path: "notes/tea.txt", content: "oolong", ranges: [3, 3] })
  await call("view_text_file", { file_path: "notes/tea.txt", ranges: [1, 2] })
  await call("list_directory", { dir_path: "." })
  await call("view_text_file", { file_path: "../../etc/passwd" })
} finally {
  await rm(root, { recursive: true })
}
