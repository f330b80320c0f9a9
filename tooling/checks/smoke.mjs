// Installs the packed tarballs into an empty project and runs an agent there: on the oldest Node that is supported, on Bun
// and on Deno.
import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { checkRuntimes } from "./runtimes.mjs"
import { keylessEnv, smokeProject } from "./smoke-project.mjs"

const oldestNode = "22.18.0"
const platform = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`
using project = smokeProject({ [platform]: oldestNode })
const { folder } = project

writeFileSync(
  join(folder, "smoke.js"),
  `import assert from "node:assert/strict"
import { ReActAgent, textOf, tool, toolResultsOf } from "agentscope-ts"
import { ScriptedModel } from "agentscope-ts/testing"
import { OfflineChatModel } from "@agentscope-ts/model-offline"
import { OpenAIChatModel } from "@agentscope-ts/model-openai"
import { fileTools } from "@agentscope-ts/tools-system"
import { z } from "zod"
const add = tool({ name: "add", description: "Add", input: z.object({ a: z.number(), b: z.number() }), execute: ({ a, b }) => a + b })
const model = new ScriptedModel([
  { toolUses: [{ name: "add", input: { a: 20, b: 22 } }] },
  ({ messages }) => "It is " + messages.flatMap((msg) => toolResultsOf(msg)).map((result) => textOf(result)).join() + ".",
])
const reply = await new ReActAgent({ name: "Friday", systemPrompt: "Add.", model, tools: [add] }).reply("20 + 22?")
assert.equal(textOf(reply), "It is 42.")
model.assertDone()
const friday = new ReActAgent({ name: "Friday", systemPrompt: "Help.", model: new OfflineChatModel(), tools: fileTools({ root: "." }) })
assert.match(textOf(await friday.reply("list the files here")), /package\\.json/)
assert.throws(() => new OpenAIChatModel({ model: "gpt-5-mini" }), /OPENAI_API_KEY/)
console.log("smoke: an agent ran on Node", process.versions.node)
`,
)
const node = join(folder, "node_modules", platform, "bin", "node")
const done = spawnSync(node, ["smoke.js"], { cwd: folder, stdio: "inherit", env: keylessEnv })
if (done.status !== 0) throw new Error(`smoke: Node ${oldestNode} failed`)
await checkRuntimes(folder)
