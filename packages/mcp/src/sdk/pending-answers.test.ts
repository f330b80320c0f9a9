import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { textOf } from "@agentscope-ts/message"
import { describe, expect, test } from "vitest"
import { until } from "../fixtures/processes.ts"
import { initialized, type RawAnswer, type RawRequest, startRawHttpServer } from "../fixtures/raw-http-server.ts"
import { HttpMcpClient } from "../http-mcp-client.ts"
import type { McpEvent } from "../mcp-options.ts"

const text = (value: string) => ({ content: [{ type: "text", text: value }] })

/** A server whose calls and GETs the test answers. */
const serverOf = (
  onCall: (request: RawRequest, answer: RawAnswer) => void,
  onGet?: Parameters<typeof startRawHttpServer>[1],
) =>
  startRawHttpServer((request, answer) => {
    if (request.method === "initialize") initialized(request, answer)
    else if (request.method === "tools/call") onCall(request, answer)
    else if (request.id !== undefined) answer.result({})
  }, onGet)

/** Begins an answer that can be taken up after its first event, and breaks off. */
function breakOff(answer: RawAnswer, event: string): void {
  const stream = answer.stream()
  stream.write(`retry: 1\nid: ${event}\ndata: \n\n`)
  stream.end()
}

describe("streams that break off", () => {
  test("again before their next event go on from the same one", async () => {
    let id = -1
    let comes = 0
    await using server = await serverOf(
      (request, answer) => {
        id = request.id ?? -1
        breakOff(answer, "e1")
      },
      (request, answer) => {
        if (request.headers["last-event-id"] !== "e1") return answer.status(405)
        const stream = answer.stream()
        stream.write(": nothing yet\n\n")
        comes += 1
        if (comes === 3) stream.send({ id, result: text("at last") }, "e2")
        if (comes === 2) answer.response.destroy()
        else stream.end()
      },
    )
    await using client = new HttpMcpClient({ name: "raw", url: server.url, timeoutMs: 5000 })
    expect(textOf(await client.callTool("t", {}))).toBe("at last")
    expect(comes).toBe(3)
  })

  test.each([400, 404, 405, 410])("fail at once where the server refuses to go on (HTTP %i)", async (status) => {
    await using server = await serverOf(
      (request, answer) => breakOff(answer, `e${request.id}`),
      (_request, answer) => answer.status(status),
    )
    await using client = new HttpMcpClient({ name: "raw", url: server.url, timeoutMs: 5000 })
    await Promise.all(
      [1, 2, 3].map(() =>
        expect(client.callTool("t", {})).rejects.toMatchObject({
          code: "connection_closed",
          message: expect.stringContaining(`going on with it was refused (HTTP ${status})`),
        }),
      ),
    )
    const taken = server.others.filter(({ headers }) => headers["last-event-id"] !== undefined)
    expect(taken).toHaveLength(3)
    await client.ping()
  })

  test("a refusal fails the call that it is for, and no other", async () => {
    const ids: Record<string, number> = {}
    await using server = await serverOf(
      (request, answer) => {
        const name = request.params["name"] as string
        ids[name] = request.id ?? -1
        breakOff(answer, name)
      },
      (request, answer) => {
        if (request.headers["last-event-id"] !== "good") return answer.status(404)
        const stream = answer.stream()
        setTimeout(() => stream.send({ id: ids["good"] ?? -1, result: text("fine") }), 30)
      },
    )
    await using client = new HttpMcpClient({ name: "raw", url: server.url, timeoutMs: 5000 })
    const good = client.callTool("good", {})
    await expect(client.callTool("bad", {})).rejects.toMatchObject({ code: "connection_closed" })
    expect(textOf(await good)).toBe("fine")
  })

  test.each(["\n", "\r", "\r\n", ""])("an answer counts that ends with %j and no empty line", async (end) => {
    await using server = await serverOf((request, answer) => {
      const stream = answer.stream()
      stream.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id: request.id ?? 0, result: text("whole") })}${end}`)
      stream.end()
    })
    await using client = new HttpMcpClient({ name: "raw", url: server.url, timeoutMs: 5000 })
    expect(textOf(await client.callTool("t", {}))).toBe("whole")
  })
})

test("closing a client is no fault of the server's", async () => {
  await using server = await serverOf(
    (_request, answer) => answer.result(text("fine")),
    (_request, answer) => void answer.stream(),
  )
  const events: McpEvent[] = []
  const client = new HttpMcpClient({ name: "raw", url: server.url, onEvent: (event) => events.push(event) })
  await client.callTool("t", {})
  await until(() => server.others.length === 1, "the stream of the server's own messages")
  await client.close()
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve))
  expect(events.map(({ type }) => type)).toEqual(["connected"])
})

test("a program whose calls are answered ends by itself", async () => {
  const program = `
    import { HttpMcpClient, McpServer } from "../index.ts"
    import { tool, Toolkit } from "@agentscope-ts/tool"
    const input = { type: "object", properties: {} }
    const toolkit = new Toolkit({ tools: [tool({ name: "ping", description: "Pings", input, execute: () => "pong" })] })
    const server = new McpServer({ name: "s", version: "1.0.0", toolkit })
    const { url } = await server.listen()
    const client = await new HttpMcpClient({ name: "s", url }).connect()
    await client.callTool("ping", {})
    await client.close()
    await server.close()
    const busy = process.cpuUsage()
    process.on("exit", () => console.log(Math.round(process.cpuUsage(busy).user / 1000)))
  `
  const flags = ["--conditions=@agentscope-ts/source", "--input-type=module", "--eval", program]
  const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd: import.meta.dirname, timeout: 15_000 })
  // milliseconds that it was busy after the last line
  expect(Number(stdout)).toBeLessThan(1000)
})
