import { textOf } from "@agentscope-ts/message"
import { Toolkit } from "@agentscope-ts/tool"
import { describe, expect, test } from "vitest"
import { FakeClock } from "./fixtures/fake-clock.ts"
import { until } from "./fixtures/processes.ts"
import { initialized, type RawAnswer, type RawStream, startRawHttpServer } from "./fixtures/raw-http-server.ts"
import { rawStdioServer } from "./fixtures/raw-stdio-server.ts"
import { HttpMcpClient } from "./http-mcp-client.ts"
import type { McpOptions } from "./mcp-options.ts"
import { StdioMcpClient } from "./stdio-mcp-client.ts"

/** A call under way at a server of which the test is in charge. */
interface SlowCall {
  readonly token: unknown
  progress(progress: number, total?: number): void
  finish(): void
}

/** A server whose tool ends when the test says so, and its client. */
async function slowServer(options: Partial<McpOptions> = {}) {
  const calls: SlowCall[] = []
  const server = await startRawHttpServer((request, answer: RawAnswer) => {
    if (request.method === "initialize") return initialized(request, answer)
    if (request.method === "tools/list")
      return answer.result({ tools: [{ name: "slow", inputSchema: { type: "object" } }] })
    if (request.method !== "tools/call") return request.id === undefined ? undefined : answer.result({})
    const stream: RawStream = answer.stream()
    const { progressToken } = request.params["_meta"] as { progressToken?: number }
    calls.push({
      token: progressToken,
      progress: (progress, total) =>
        stream.send({
          method: "notifications/progress",
          params: {
            progressToken: progressToken ?? -1,
            progress,
            ...(total && { total }),
            message: `step ${progress}`,
          },
        }),
      finish: () => {
        stream.send({ id: request.id ?? 0, result: { content: [{ type: "text", text: "done" }] } })
        stream.end()
      },
    })
  })
  const client = new HttpMcpClient({ name: "slow", url: server.url, ...options })
  await client.connect()
  const cancelled = () => server.requests.filter(({ method }) => method === "notifications/cancelled")
  return {
    client,
    calls,
    cancelled,
    async [Symbol.asyncDispose]() {
      await client.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** Time that passes for the client once what is on the wire has arrived. */
async function pass(clock: FakeClock, ms: number, seen: () => boolean): Promise<void> {
  await until(seen, "the message on the wire")
  await clock.advance(ms)
}

describe("FR-42 long calls", () => {
  test("go on as long as progress comes, which is an event of the tool", async () => {
    using clock = new FakeClock()
    await using slow = await slowServer()
    const toolkit = new Toolkit({ timeoutMs: 600_000 })
    await toolkit.register(slow.client)
    const run = toolkit.execute({ type: "tool_use", id: "1", name: "slow", input: {} })
    const events: unknown[] = []
    const reading = (async () => {
      for await (const chunk of run) events.push(chunk)
    })()
    await until(() => slow.calls.length === 1, "the call")
    const [call] = slow.calls
    expect(call?.token).toEqual(expect.anything())
    for (let step = 1; step <= 9; step++) {
      await clock.advance(10_000)
      call?.progress(step, 9)
      await until(() => events.length === step, "the progress")
    }
    call?.finish()
    expect(textOf(await run.result)).toBe("done")
    await reading
    expect(events[0]).toEqual({ type: "progress", data: { progress: 1, total: 9, message: "step 1" } })
    expect(events.filter((event) => (event as { type: string }).type === "progress")).toHaveLength(9)
    await slow.client.close()
    expect(clock.sleeping).toBe(0)
  })

  test("without progress they end after timeoutMs, and the server is told", async () => {
    using clock = new FakeClock()
    await using slow = await slowServer()
    const failed = expect(slow.client.callTool("slow", {})).rejects.toMatchObject({
      code: "timeout",
      message: expect.stringContaining("within 60000 ms (timeoutMs 60000)"),
    })
    await pass(clock, 59_000, () => slow.calls.length === 1)
    expect(slow.cancelled()).toEqual([])
    await clock.advance(1000)
    await failed
    await until(() => slow.cancelled().length === 1, "the cancellation")
    expect(slow.cancelled()[0]?.params).toMatchObject({ requestId: expect.any(Number) })
    slow.calls[0]?.finish()
  })

  test("however much progress comes, they end after maxTimeoutMs", async () => {
    using clock = new FakeClock()
    await using slow = await slowServer({ maxTimeoutMs: 100_000 })
    const heard: number[] = []
    const failed = expect(
      slow.client.callTool("slow", {}, { onProgress: ({ progress }) => heard.push(progress) }),
    ).rejects.toMatchObject({ code: "timeout", message: expect.stringContaining("in all (maxTimeoutMs 100000)") })
    await until(() => slow.calls.length === 1, "the call")
    for (let step = 1; step <= 9; step++) {
      await clock.advance(10_000)
      slow.calls[0]?.progress(step)
      await until(() => heard.length === step, "the progress")
    }
    await clock.advance(10_000)
    await failed
    await until(() => slow.cancelled().length === 1, "the cancellation")
  })

  test("a call that is given up is taken back at the server, and rejects with the signal's reason", async () => {
    await using slow = await slowServer()
    const controller = new AbortController()
    const failed = expect(slow.client.callTool("slow", {}, { signal: controller.signal })).rejects.toThrow("enough")
    await until(() => slow.calls.length === 1, "the call")
    controller.abort(new TypeError("enough"))
    await failed
    await until(() => slow.cancelled().length === 1, "the cancellation")
    slow.calls[0]?.finish()
    await slow.client.ping()
  })

  test("a signal that outlives its calls gathers no listeners", async () => {
    await using client = new StdioMcpClient({
      name: "echo",
      ...rawStdioServer(`methods["tools/call"] = () => text("x")`),
    })
    const controller = new AbortController()
    const added: string[] = []
    const { signal } = controller
    const add = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    signal.addEventListener = (...args: Parameters<typeof add>) => (added.push(args[0]), add(...args))
    signal.removeEventListener = (...args: Parameters<typeof remove>) => (added.pop(), remove(...args))
    for (let i = 0; i < 20; i++) await client.callTool("echo", {}, { signal })
    expect(added).toEqual([])
  })
})

test("a person may take any time to answer what the server asks during a call", async () => {
  using clock = new FakeClock()
  let answer: (() => void) | undefined
  await using client = new StdioMcpClient({
    name: "asking",
    ...rawStdioServer(`methods["tools/call"] = async () =>
      text(JSON.stringify(await ask("elicitation/create", { message: "?", requestedSchema: { type: "object", properties: {} } })))`),
    maxTimeoutMs: 100_000,
    onElicitation: () => new Promise((resolve) => (answer = () => resolve({ action: "accept" }))),
  })
  const call = client.callTool("t", {})
  await until(() => answer !== undefined, "the question")
  await clock.advance(3_600_000)
  answer?.()
  expect(textOf(await call)).toBe('{"action":"accept","content":{}}')
})
