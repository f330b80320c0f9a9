// Runs an agent over a provider on Bun and Deno, with the packed packages: a streamed answer with a tool call, a picture
// from a file, and an answer that is given up, from a server on the loopback address. The runtimes come as npm packages of
// this platform and stay in a cache folder, as the pinned Node does: nobody who only starts or tests needs them.
import { spawn, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { homedir } from "node:os"
import { join } from "node:path"
import { keylessEnv, smokeProject } from "./smoke-project.mjs"

const versions = { bun: "1.4.5", deno: "2.9.6" }
const windows = process.platform === "win32"
const system = windows ? "windows" : process.platform
const isMusl = process.platform === "linux" && !process.report?.getReport?.().header.glibcVersionRuntime
const endOfWait = 60_000

/** The packages of this platform; none for a runtime that has none. */
const runtimes = [
  {
    name: "Bun",
    package: `@oven/bun-${system}-${process.arch === "arm64" ? "aarch64" : process.arch}${isMusl ? "-musl" : ""}`,
    version: versions.bun,
    platforms: ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "win32-x64"],
    executable: windows ? "bin/bun.exe" : "bin/bun",
    args: [],
  },
  {
    name: "Deno",
    package: `@deno/${process.platform}-${process.arch}${process.platform === "linux" ? "-glibc" : ""}`,
    version: versions.deno,
    platforms: isMusl ? [] : ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "win32-x64"],
    executable: windows ? "deno.exe" : "deno",
    // no more than a program of this kind needs
    args: ["run", "--no-prompt", "--node-modules-dir=manual", "--allow-net=127.0.0.1", "--allow-env", "--allow-read=."],
  },
].map((runtime) => ({ ...runtime, served: runtime.platforms.includes(`${process.platform}-${process.arch}`) }))

/** The folder with the runtimes; filled once. */
function runtimeFolder(wanted) {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "agentscope-ts", "runtimes")
  const names = wanted.map((runtime) => `${runtime.package}@${runtime.version}`)
  const folder = join(cache, names.join("+").replaceAll("/", "-"))
  if (existsSync(folder)) return folder
  console.log(`runtimes: fetching ${names.join(" and ")} into ${folder}`)
  const draft = `${folder}.${process.pid}`
  mkdirSync(draft, { recursive: true })
  try {
    writeFileSync(join(draft, "package.json"), '{"private":true}')
    const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]
    const done = spawnSync("npm", ["install", ...flags, ...names], { cwd: draft, stdio: "inherit", shell: windows })
    if (done.status !== 0) throw new Error(`runtimes: npm could not install ${names.join(" and ")}`)
    try {
      renameSync(draft, folder)
    } catch (error) {
      // another run was faster
      if (!existsSync(folder)) throw error
    }
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
  return folder
}

const program = `import assert from "node:assert/strict"
import { ReActAgent } from "@agentscope-ts/agent"
import { InMemoryMemory } from "@agentscope-ts/memory"
import { textOf, userMsg } from "@agentscope-ts/message"
import { OpenAIChatModel } from "@agentscope-ts/model-openai"
import { tool } from "@agentscope-ts/tool"
import { z } from "zod"
const model = new OpenAIChatModel({ model: "any", apiKey: "k", baseURL: process.env.MODEL_URL })
const add = tool({ name: "add", description: "Add", input: z.object({ a: z.number(), b: z.number() }), execute: ({ a, b }) => a + b })
const memory = new InMemoryMemory()
const agent = new ReActAgent({ name: "Friday", systemPrompt: "Add.", model, tools: [add], memory })
const picture = { type: "image", source: { type: "url", url: "./dot.png" } }
const run = agent.stream(userMsg([{ type: "text", text: "20 + 22? 你好" }, picture]))
const types = []
let said = ""
for await (const event of run) {
  types.push(event.type)
  if (event.type === "text_delta") said += event.text
  if (event.type === "tool_result") assert.equal(textOf(event.result), "42")
}
const reply = await run.reply
assert.equal(reply.finishReason, "completed")
assert.equal(said, "It is 42. 👍")
assert.equal(textOf(reply), said)
assert.equal(reply.usage.outputTokens, 7)
assert.ok(types.indexOf("tool_use_delta") < types.indexOf("tool_result"))
assert.equal(await memory.size(), 4)
assert.equal(textOf(await model.generate({ messages: [userMsg("whole")] })), "Whole.")
await assert.rejects(model.generate({ messages: [userMsg("refuse")], params: {} }), { code: "authentication" })
const controller = new AbortController()
const slow = model.stream({ messages: [userMsg("never ends")], signal: controller.signal })
await assert.rejects(async () => {
  for await (const _ of slow) controller.abort(new Error("enough"))
}, { code: "aborted" })
`

/** A model that calls the tool, then says what came of it. */
function startModel() {
  const requests = []
  const chunk = (delta, rest = {}) =>
    `data: ${JSON.stringify({ id: "1", choices: [{ index: 0, delta }], ...rest })}\n\n`
  const end = (finish_reason) =>
    `data: ${JSON.stringify({ id: "1", choices: [{ index: 0, delta: {}, finish_reason }], usage: { prompt_tokens: 5, completion_tokens: finish_reason === "stop" ? 4 : 3 } })}\n\ndata: [DONE]\n\n`
  const call = (json, rest = {}) =>
    chunk({ tool_calls: [{ index: 0, ...rest, function: { ...rest.function, arguments: json } }] })
  const server = createServer(async (request, response) => {
    const parts = []
    for await (const part of request) parts.push(part)
    const body = JSON.parse(Buffer.concat(parts).toString())
    requests.push(body)
    const last = body.messages.at(-1)
    const text = JSON.stringify(last.content)
    if (text.includes("refuse")) {
      response.writeHead(401, { "content-type": "application/json" })
      return response.end('{"error":{"message":"Bad key.","code":"invalid_api_key"}}')
    }
    if (!body.stream) {
      response.writeHead(200, { "content-type": "application/json" })
      const message = { role: "assistant", content: "Whole." }
      return response.end(JSON.stringify({ id: "1", choices: [{ index: 0, message, finish_reason: "stop" }] }))
    }
    response.writeHead(200, { "content-type": "text/event-stream" })
    if (text.includes("never ends")) return response.write(chunk({ content: "One " }))
    const answer =
      last.role === "tool"
        ? chunk({ content: "It is " }) + chunk({ content: "42. 👍" }) + end("stop")
        : call("", { id: "call_1", type: "function", function: { name: "add" } }) +
          call('{"a": 20,') +
          call(' "b": 22}') +
          end("tool_calls")
    // in pieces that end where they happen to
    const bytes = Buffer.from(answer)
    for (let at = 0; at < bytes.length; at += 61) {
      response.write(bytes.subarray(at, at + 61))
      await new Promise((resolve) => setImmediate(resolve))
    }
    return response.end()
  })
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const close = () => (server.closeAllConnections(), server.close())
      resolve({ url: `http://127.0.0.1:${server.address().port}/v1`, requests, [Symbol.dispose]: close })
    })
  })
}

function run(command, args, cwd, env) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env, stdio: ["ignore", "inherit", "inherit"], timeout: endOfWait })
    child.once("error", (error) => resolve(error.message))
    child.once("close", (status, signal) => resolve(status ?? signal))
  })
}

/** Runs the program on each runtime, in a project that has the packages installed. Throws where one fails. */
export async function checkRuntimes(project) {
  for (const { name } of runtimes.filter(({ served }) => !served)) {
    console.log(`runtimes: skipped ${name}, which has no package for ${process.platform}-${process.arch}`)
  }
  const wanted = runtimes.filter(({ served }) => served)
  if (wanted.length === 0) return
  const folder = runtimeFolder(wanted)
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
  writeFileSync(join(project, "dot.png"), Buffer.from(png, "base64"))
  writeFileSync(join(project, "agent.js"), program)
  for (const { name, package: packageName, executable, args, version } of wanted) {
    const command = join(folder, "node_modules", packageName, executable)
    // an old processor lacks what Bun is built for
    if (spawnSync(command, ["--version"], { encoding: "utf8" }).status !== 0) {
      console.log(`runtimes: skipped ${name} ${version}, which does not run on this machine`)
      continue
    }
    using model = await startModel()
    const env = { ...keylessEnv, MODEL_URL: model.url, DENO_NO_UPDATE_CHECK: "1", DO_NOT_TRACK: "1" }
    const status = await run(command, [...args, "agent.js"], project, env)
    if (status !== 0) throw new Error(`runtimes: ${name} ${version} failed (${status})`)
    const shown = JSON.stringify(model.requests[0].messages)
    if (!shown.includes(`data:image/png;base64,${png}`)) throw new Error(`runtimes: ${name} did not send the picture`)
    console.log(`runtimes: an agent ran on ${name} ${version}`)
  }
}

if (process.argv[1]?.endsWith("runtimes.mjs")) {
  using project = smokeProject()
  await checkRuntimes(project.folder)
}
