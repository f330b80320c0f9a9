// Installs the packed tarballs into an empty project and runs an agent there, on the oldest Node that is supported.
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { packAll } from "./tarballs.mjs"

const oldestNode = "22.18.0"
const folder = mkdtempSync(join(tmpdir(), "agentscope-smoke-"))
const packed = packAll()
const local = Object.fromEntries(packed.map(({ name, tarball }) => [name, `file:${tarball}`]))
const platform = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`

writeFileSync(
  join(folder, "package.json"),
  JSON.stringify({ private: true, type: "module", dependencies: { ...local, zod: "4.6.7", [platform]: oldestNode } }),
)
writeFileSync(
  join(folder, "pnpm-workspace.yaml"),
  `pmOnFail: ignore\noverrides:\n${Object.entries(local)
    .map(([name, spec]) => `  ${JSON.stringify(name)}: ${JSON.stringify(spec)}\n`)
    .join("")}`,
)
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
function run(command, args) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => key !== "OPENAI_API_KEY"))
  const done = spawnSync(command, args, { cwd: folder, stdio: "inherit", env })
  if (done.status !== 0) {
    console.error(`smoke: ${command} failed in ${folder}`)
    process.exit(1)
  }
}
run("pnpm", ["install", "--prefer-offline", "--loglevel=error"])
run(join(folder, "node_modules", platform, "bin", "node"), ["smoke.js"])
rmSync(folder, { recursive: true, force: true })
