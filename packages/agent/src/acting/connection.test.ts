import { unhandled } from "@agentscope-ts/fixtures"
import { textOf, toolResultsOf } from "@agentscope-ts/message"
import { OpenAIChatModel } from "@agentscope-ts/model-openai"
import { expect, test } from "vitest"
import { chatServer, says } from "../fixtures/chat-server.ts"
import { eventsOf, expectValid, idle, memoryOf, rolesOf } from "../fixtures/runs.ts"
import { named } from "../fixtures/tools.ts"
import { ReActAgent } from "../index.ts"

const friday = (url: string, options: object = {}) =>
  new ReActAgent({
    name: "Friday",
    systemPrompt: "Help.",
    model: new OpenAIChatModel({ model: "m", apiKey: "k", baseURL: url, maxRetries: 0 }),
    ...options,
  })

test("a server that drops the connection: a typed error, and what was said is kept", async () => {
  using watch = unhandled()
  await using server = await chatServer((response, chunk) => {
    chunk({ content: "Once upon" })
    setImmediate(() => response.destroy())
  }, says("ok"))
  const agent = friday(server.url)
  await expect(eventsOf(agent.stream("Tell me a story."))).rejects.toMatchObject({ code: "network", retryable: true })
  expect(memoryOf(agent).map((msg) => [textOf(msg), msg.finishReason])).toEqual([
    ["Tell me a story.", undefined],
    ["Once upon", "error"],
  ])
  expect(textOf(await agent.reply("again"))).toBe("ok")
  await idle()
  expect(watch.errors).toEqual([])
})

test("a server that ends without an end", async () => {
  await using server = await chatServer((response, chunk) => {
    chunk({ content: "Once" })
    response.end()
  })
  await expect(friday(server.url).reply("x")).rejects.toMatchObject({ code: "malformed_response", retryable: true })
})

test("a server that drops the connection after a tool was called: the tool is ended, nothing is asked again", async () => {
  const started = Promise.withResolvers<void>()
  const slow = named("slow", (_, ctx) => {
    started.resolve()
    return new Promise((resolve) => ctx.signal.addEventListener("abort", () => resolve("ended")))
  })
  await using server = await chatServer((response, chunk) => {
    const call = (index: number, name: string) => ({
      index,
      id: `c${index}`,
      type: "function",
      function: { name, arguments: "{}" },
    })
    chunk({ tool_calls: [call(0, "slow")] })
    chunk({ tool_calls: [call(1, "other")] })
    void started.promise.then(() => response.destroy())
  })
  const agent = friday(server.url, { tools: [slow, named("other", () => 1)] })
  await expect(agent.reply("go")).rejects.toMatchObject({ code: "network" })
  expect(server.bodies).toHaveLength(1)
  expect(rolesOf(agent)).toEqual(["user", "assistant", "tool"])
  expect(toolResultsOf(memoryOf(agent)[2]!)[0]).toMatchObject({ id: "c0", state: "interrupted" })
  expectValid(memoryOf(agent))
})

test.each(["interrupt", "abort", "leave"])("in the middle of a stream, %s closes the connection", async (how) => {
  await using server = await chatServer((_, chunk) => chunk({ content: "Once" }))
  const agent = friday(server.url)
  const controller = new AbortController()
  const run = agent.stream("x", { signal: controller.signal })
  await (async () => {
    for await (const event of run) {
      if (event.type !== "text_delta") continue
      if (how === "leave") break
      if (how === "interrupt") run.interrupt()
      else controller.abort()
    }
  })().catch(() => {})
  await run.reply.catch(() => {})
  expect(memoryOf(agent)[1]).toMatchObject({ finishReason: "interrupted" })
  await expect.poll(() => server.open()).toBe(0)
})
