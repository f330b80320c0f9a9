import type { ChatModel, ProviderOptions } from "@agentscope-ts/model"
import { type Cassette, runModelConformance } from "@agentscope-ts/testing"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll } from "vitest"

// the provider that the guide builds, out of the guide itself
const guide = readFileSync(resolve(import.meta.dirname, "../../apps/docs/add-a-provider.md"), "utf8")
const folder = join(import.meta.dirname, ".generated")
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)
afterAll(() => rmSync(folder, { recursive: true }))
for (const [, name = "", code = ""] of guide.matchAll(/^```ts [^\n]*file=([\w-]+\.ts)\n([\s\S]*?)^```$/gm))
  writeFileSync(join(folder, name), code)
const { AcmeChatModel } = (await import(pathToFileURL(join(folder, "acme-chat-model.ts")).href)) as {
  readonly AcmeChatModel: new (options: ProviderOptions) => ChatModel
}

function cassette(categories: readonly string[], events: readonly object[], expect: object, status = 200): Cassette {
  const stream = categories.includes("stream")
  const type = stream ? "text/event-stream" : "application/json"
  const body = stream ? events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("") : JSON.stringify(events[0])
  return {
    file: `acme/${categories.join("-")}.json`,
    provider: "acme",
    api: "acme-talk",
    model: "acme-1",
    categories,
    request: { method: "POST", path: "/talk" },
    response: { status, headers: { "content-type": type }, body },
    expect,
  }
}

const words = "Mit 42 ist alles gesagt, sagte 北京 🌍 und schwieg.".split(/(?<= )/)
const usage = { input: 9, output: 4 }
const end = { end: "stop", tokens: { in: 9, out: 4 } }
const calls = [
  { id: "c1", name: "add", args: '{"a":1}' },
  { id: "c2", name: "now", args: "" },
]

runModelConformance({
  name: "the provider of the guide",
  create: ({ url, fetch, live }) =>
    new AcmeChatModel({ model: "acme-1", apiKey: "test", baseURL: url, fetch: live ? undefined : fetch }),
  cassettes: [
    // an event with a message is no failure
    cassette(["stream", "text"], [{ type: "ping", message: "hold on" }, ...words.map((say) => ({ say })), end], {
      text: words.join(""),
      usage,
      stopReason: "stop",
    }),
    cassette(["stream", "tool-parallel"], [{ think: "Both." }, { calls }, end], {
      thinking: "Both.",
      toolCalls: [
        { id: "c1", name: "add", input: { a: 1 } },
        { id: "c2", name: "now", input: {} },
      ],
      usage,
      stopReason: "stop",
    }),
    cassette(["non-stream", "vision"], [{ say: "One pixel.", end: "length" }], {
      text: "One pixel.",
      stopReason: "length",
    }),
    cassette(
      ["non-stream", "error-401"],
      [{ error: { type: "authentication_error", message: "no such key" } }],
      { error: { status: 401, type: "authentication_error", message: "no such key" } },
      401,
    ),
    cassette(
      ["stream", "error-mid-stream"],
      [{ say: "Well" }, { error: { type: "overloaded_error", message: "Too busy" } }],
      {
        text: "Well",
        error: { status: 200, type: "overloaded_error", message: "Too busy", midStream: true },
      },
    ),
  ],
  usageKeys: ["tokens"],
  missingKey: { variable: "ACME_API_KEY", create: () => new AcmeChatModel({ model: "acme-1" }) },
})
