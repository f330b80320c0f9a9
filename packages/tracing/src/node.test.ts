import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { AgentScopeError, userMsg } from "@agentscope-ts/message"
import { trace } from "@opentelemetry/api"
import { afterEach, expect, test, vi } from "vitest"
import { captureContent, genAi, inputMessages, startSpan, tracingReady } from "./index.ts"
import { initTracing, type TracingOptions } from "./node.ts"
import { loadPeers, peers } from "./peers.ts"

interface Received {
  readonly path: string
  readonly body: {
    resourceSpans: {
      resource: { attributes: { key: string; value: { stringValue?: string } }[] }
      scopeSpans: { spans: { name: string; attributes: { key: string; value: unknown }[] }[] }[]
    }[]
  }
}

async function receiver() {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      received.push({ path: request.url ?? "", body: JSON.parse(Buffer.concat(chunks).toString()) as Received["body"] })
      response.writeHead(200, { "content-type": "application/json" }).end("{}")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    spans: () =>
      received.flatMap(({ body }) => body.resourceSpans.flatMap((r) => r.scopeSpans.flatMap((scope) => scope.spans))),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const beforeExit = () => process.listenerCount("beforeExit")
const start = (options: Partial<TracingOptions>) => initTracing({ serviceName: "test", ...options })

afterEach(() => {
  expect(tracingReady()).toBe(false)
})

test("spans arrive at an OTLP/HTTP collector, with content and without secrets", async () => {
  await using collector = await receiver()
  const listeners = beforeExit()
  const tracing = await start({ serviceName: "friday", otlpEndpoint: collector.url })
  expect(tracingReady()).toBe(true)
  expect(captureContent()).toBe(true)
  const agent = startSpan("invoke_agent", "Friday")
  const chat = startSpan("chat", "gpt-5", agent)
  chat?.set({
    [genAi.inputMessages]: inputMessages([userMsg("my key is sk-proj-0123456789abcdef0123")]),
    [genAi.usageInputTokens]: 7,
  })
  chat?.end()
  agent?.end()
  await tracing.shutdown()
  await tracing.shutdown()

  const [request] = collector.received
  expect(request?.path).toBe("/v1/traces")
  const resource = request?.body.resourceSpans[0]?.resource.attributes ?? []
  expect(resource.find(({ key }) => key === "service.name")?.value.stringValue).toBe("friday")
  // the command line and the environment may hold keys
  expect(resource.filter(({ key }) => key.startsWith("process."))).toEqual([])
  expect(
    collector
      .spans()
      .map((span) => span.name)
      .toSorted(),
  ).toEqual(["chat gpt-5", "invoke_agent Friday"])
  const wire = JSON.stringify(collector.received)
  expect(wire).toContain("my key is [redacted]")
  expect(wire).not.toContain("0123456789abcdef")
  expect(beforeExit()).toBe(listeners)
  expect(captureContent()).toBe(false)
  expect(trace.getTracerProvider()).not.toHaveProperty("_delegate")
})

test("content can be left out; the end of a block shuts down; tracing can start again", async () => {
  await using collector = await receiver()
  for (const round of [1, 2]) {
    await using _tracing = await start({ otlpEndpoint: collector.url, captureContent: false })
    expect(captureContent()).toBe(false)
    startSpan("chat", `m${round}`)?.end()
  }
  expect(collector.spans().map((span) => span.name)).toEqual(["chat m1", "chat m2"])
})

test.each([
  [{ studioUrl: "" }, ["/v1/traces"]],
  [{ studioUrl: "/" }, ["/v1/traces"]],
  [{ otlpEndpoint: "/api/public/otel" }, ["/api/public/otel/v1/traces"]],
  [{ otlpEndpoint: "/v1/traces" }, ["/v1/traces"]],
  [{ otlpEndpoint: "/adapt_1/api/otlp/traces" }, ["/adapt_1/api/otlp/traces"]],
  [{ studioUrl: "", otlpEndpoint: "/other" }, ["/v1/traces", "/other/v1/traces"]],
])("addresses %j lead to %j", async (paths, expected) => {
  await using collector = await receiver()
  const options = Object.fromEntries(Object.entries(paths).map(([key, path]) => [key, collector.url + path]))
  const tracing = await start(options)
  startSpan("chat", "m")?.end()
  await tracing.shutdown()
  expect(collector.received.map(({ path }) => path).toSorted()).toEqual(expected.toSorted())
})

test("a collector that is away does not disturb the program", async () => {
  const collector = await receiver()
  await collector[Symbol.asyncDispose]()
  vi.stubEnv("OTEL_EXPORTER_OTLP_TIMEOUT", "300")
  const tracing = await start({ otlpEndpoint: collector.url })
  startSpan("chat", "m")?.end()
  await expect(tracing.shutdown()).resolves.toBeUndefined()
  vi.unstubAllEnvs()
})

test("spans are sent when a program ends without a shutdown", async () => {
  await using collector = await receiver()
  const before = process.listeners("beforeExit")
  const tracing = await start({ otlpEndpoint: collector.url })
  startSpan("chat", "m")?.end()
  const added = process.listeners("beforeExit").filter((listener) => !before.includes(listener))
  expect(added).toHaveLength(1)
  const flushed: unknown = added[0]?.(0)
  await (flushed as Promise<void>)
  expect(collector.spans()).toHaveLength(1)
  await tracing.shutdown()
})

test("a second SDK and a wrong address are refused, and change nothing", async () => {
  await using collector = await receiver()
  const tracing = await start({ otlpEndpoint: collector.url })
  const again = await start({ otlpEndpoint: collector.url, captureContent: false }).catch((error: unknown) => error)
  expect(AgentScopeError.is(again, "already_started")).toBe(true)
  expect(captureContent()).toBe(true)
  await tracing.shutdown()
  await expect(start({ otlpEndpoint: "localhost 4318" })).rejects.toMatchObject({
    code: "invalid_argument",
    message: expect.stringContaining('otlpEndpoint "localhost 4318"'),
  })
})

test("absent peers are an error with the command that installs them", async () => {
  const absent = () => Promise.reject(Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" }))
  await expect(loadPeers({ ...peers, exporter: absent })).rejects.toMatchObject({
    code: "missing_dependency",
    message: expect.stringContaining(
      "npm install @opentelemetry/sdk-node@0.301.0 @opentelemetry/exporter-trace-otlp-http@0.301.0",
    ),
    cause: expect.objectContaining({ code: "ERR_MODULE_NOT_FOUND" }),
  })
})

test("the versions in the error are those of the package's peers", async () => {
  const { default: manifest } = await import("../package.json", { with: { type: "json" } })
  expect(new Set(Object.values(manifest.peerDependencies))).toEqual(new Set(["0.301.0"]))
})
