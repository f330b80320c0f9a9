import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { type AgentRun, ReActAgent } from "@agentscope-ts/agent"
import { type AgentEvent, textOf, toolResultsOf } from "@agentscope-ts/message"
import type { ChatModel } from "@agentscope-ts/model"
import { AnthropicChatModel } from "@agentscope-ts/model-anthropic"
import { OpenAIChatModel } from "@agentscope-ts/model-openai"
import { ScriptedModel } from "@agentscope-ts/testing"
import { executeShellCommand } from "@agentscope-ts/tools-system"
import { describe, expect, test } from "vitest"

// From the call that stops an agent to a stream that is closed at the provider's end, and a process tree that is gone.
const limitMs = 100
const ways = ["interrupt", "interrupt by the agent", "leave", "abort"] as const
type Way = (typeof ways)[number]

/** Stops a run and tells when; `isTime` says at which event. What the reply comes to is checked, too. */
async function stop(
  way: Way,
  agent: ReActAgent,
  isTime: (event: AgentEvent) => boolean,
): Promise<{ readonly at: number; readonly settledMs: number }> {
  const giveUp = new AbortController()
  const run: AgentRun = agent.stream("Go.", { signal: giveUp.signal })
  let at = 0
  const stopNow = { interrupt: () => run.interrupt(), "interrupt by the agent": () => agent.interrupt("Stop.") }
  try {
    for await (const event of run) {
      if (at > 0 || !isTime(event)) continue
      at = performance.now()
      if (way === "leave") break
      if (way === "abort") giveUp.abort(new RangeError("enough"))
      else expect(stopNow[way]()).toBe(true)
    }
  } catch (error) {
    expect(error).toMatchObject({ message: "enough" })
  }
  expect(at).toBeGreaterThan(0)
  const ending = await run.reply.then(
    ({ finishReason }) => finishReason,
    (error: unknown) => error,
  )
  if (way === "abort") expect(ending).toBeInstanceOf(RangeError)
  else expect(ending).toBe("interrupted")
  return { at, settledMs: performance.now() - at }
}

/** The middle of several measurements: a machine that is busy elsewhere is no fault. */
async function median(measure: () => Promise<number>): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < 5; i++) times.push(await measure())
  return times.toSorted((a, b) => a - b)[2] as number
}

describe.each(ways)("%s", (way) => {
  const frames = {
    chat: `data: {"id":"c","model":"m","choices":[{"index":0,"delta":{"content":"Once upon a time"},"finish_reason":null}]}\n\n`,
    messages: [
      `event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}\n\n`,
      `event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n`,
      `event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Once upon a time"}}\n\n`,
    ].join(""),
  }
  const models: Record<keyof typeof frames, (baseURL: string) => ChatModel> = {
    chat: (url) => new OpenAIChatModel({ model: "m", apiKey: "k", baseURL: `${url}/v1` }),
    messages: (baseURL) => new AnthropicChatModel({ model: "m", apiKey: "k", baseURL }),
  }

  test.each(["chat", "messages"] as const)("a model's stream (%s) is closed at its server", async (wire) => {
    let closed = Promise.withResolvers<number>()
    const server: Server = createServer((request, response) => {
      request.resume()
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.write(frames[wire])
      response.on("close", () => closed.resolve(performance.now()))
    })
    await once(server.listen(0, "127.0.0.1"), "listening")
    try {
      const model = models[wire](`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
      const ms = await median(async () => {
        closed = Promise.withResolvers()
        const agent = new ReActAgent({ name: "Friday", systemPrompt: "x", model })
        const { at, settledMs } = await stop(way, agent, ({ type }) => type === "text_delta")
        const said = (await agent.memory.get()).find(({ finishReason }) => finishReason === "interrupted")
        expect(textOf(said!)).toBe("Once upon a time")
        return Math.max((await closed.promise) - at, settledMs)
      })
      expect(ms).toBeLessThan(limitMs)
    } finally {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  })

  test.skipIf(process.platform === "win32")("a tool's whole process tree is gone", async () => {
    // a child of a child, in the background; what it said before stays
    const command = `sh -c 'echo "pid $$"; sleep 1000; echo late' & wait`
    const shell = executeShellCommand({ cwd: tmpdir(), approve: () => true })
    const ms = await median(async () => {
      let pid = 0
      const call = { name: "execute_shell_command", input: { command } }
      const agent = new ReActAgent({
        name: "Friday",
        systemPrompt: "x",
        model: new ScriptedModel([{ toolUses: [call] }]),
        tools: [shell],
      })
      const { at, settledMs } = await stop(way, agent, (event) => {
        if (event.type !== "tool_result_delta" || event.block.type !== "text") return false
        pid = Number(/pid (\d+)/.exec(event.block.text)?.[1])
        return pid > 0
      })
      while (isAlive(pid)) await new Promise((resolve) => setImmediate(resolve))
      const goneMs = performance.now() - at
      const results = (await agent.memory.get()).flatMap((msg) => toolResultsOf(msg))
      expect(results).toMatchObject([{ state: "interrupted" }])
      expect(textOf(results[0]!)).toContain(`pid ${pid}`)
      return Math.max(goneMs, settledMs)
    })
    expect(ms).toBeLessThan(limitMs)
  })
})

/** Whether a process runs; one that is dead and whose parent has not asked yet does not. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  if (process.platform !== "linux") return true
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return false // it went between the two looks
  }
}
