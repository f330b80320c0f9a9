import { createServer } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { AgentScopeError, userMsg } from "@agentscope-ts/message"
import { trace } from "@opentelemetry/api"
import { afterEach, expect, test, vi } from "vitest"
import { captureContent, genAi, inputMessages, startSpan, tracingReady } from "./index.ts"
import { initTracing, type TracingOptions } from "./node.ts"
import { loadPeers, peers } from "./peers.ts"

interface Received {
  readonly path: string
  readonly body: {
    resourceMetrics: {
      scopeMetrics: {
        metrics: {
          name: string
          unit: string
          histogram: { dataPoints: { sum: number; explicitBounds: number[] }[] }
        }[]
      }[]
    }[]
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
    traces: () => received.filter(({ path }) => path.endsWith("/traces")),
    spans: () =>
      received.flatMap(({ body }) =>
        (body.resourceSpans ?? []).flatMap((r) => r.scopeSpans.flatMap((scope) => scope.spans)),
      ),
    metrics: () =>
      received.flatMap(({ body }) =>
        (body.resourceMetrics ?? []).flatMap((r) => r.scopeMetrics.flatMap((scope) => scope.metrics)),
      ),
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

  const [request] = collector.traces()
  expect(collector.received.map(({ path }) => path).toSorted()).toEqual(["/v1/metrics", "/v1/traces"])
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
  [{ otlpEndpoint: "/api/public/otel" }, ["/api/public/otel/v1/traces", "/api/public/otel/v1/metrics"]],
  [{ otlpEndpoint: "/v1/traces" }, ["/v1/traces", "/v1/metrics"]],
  [{ otlpEndpoint: "/adapt_1/api/otlp/traces" }, ["/adapt_1/api/otlp/traces", "/adapt_1/api/otlp/metrics"]],
  [{ studioUrl: "", otlpEndpoint: "/other" }, ["/v1/traces", "/other/v1/traces", "/other/v1/metrics"]],
])("addresses %j lead to %j", async (paths, expected) => {
  await using collector = await receiver()
  const options = Object.fromEntries(Object.entries(paths).map(([key, path]) => [key, collector.url + path]))
  const tracing = await start(options)
  startSpan("chat", "m")?.end()
  await tracing.shutdown()
  expect(collector.received.map(({ path }) => path).toSorted()).toEqual(expected.toSorted())
})

test("the figures of calls arrive as histograms of the conventions", async () => {
  await using collector = await receiver()
  const tracing = await start({ otlpEndpoint: collector.url })
  const chat = startSpan("chat", "gpt-5", undefined, "openai")
  chat?.set({
    [genAi.usageInputTokens]: 7,
    [genAi.usageOutputTokens]: 3,
    [genAi.responseTimeToFirstChunk]: 0.25,
    [genAi.responseModel]: "gpt-5-2025",
  })
  chat?.end()
  startSpan("execute_tool", "add")?.end()
  await tracing.shutdown()
  const metrics = collector.metrics()
  expect(metrics.map(({ name, unit }) => `${name} ${unit}`).toSorted()).toEqual([
    "gen_ai.client.operation.duration s",
    "gen_ai.client.operation.time_to_first_chunk s",
    "gen_ai.client.token.usage {token}",
  ])
  const pointsOf = (name: string) => metrics.find((metric) => metric.name === name)?.histogram.dataPoints ?? []
  expect(pointsOf("gen_ai.client.token.usage").map(({ sum }) => sum)).toEqual([7, 3])
  expect(pointsOf("gen_ai.client.token.usage")[0]?.explicitBounds.slice(0, 3)).toEqual([1, 4, 16])
  expect(pointsOf("gen_ai.client.operation.time_to_first_chunk")).toMatchObject([{ sum: 0.25 }])
  expect(pointsOf("gen_ai.client.operation.duration")).toHaveLength(1)
  expect(pointsOf("gen_ai.client.operation.duration")[0]?.explicitBounds.at(-1)).toBe(81.92)
})

test("a collector that takes what is sent and never answers holds nobody up for long", async () => {
  const sockets = new Set<Socket>()
  const server = createServer(() => {})
  server.on("connection", (socket) => sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  vi.stubEnv("OTEL_EXPORTER_OTLP_TIMEOUT", "200")
  try {
    const tracing = await start({ otlpEndpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
    startSpan("chat", "m", undefined, "p")?.end()
    const began = performance.now()
    await tracing.shutdown()
    expect(performance.now() - began).toBeLessThan(3000)
  } finally {
    vi.unstubAllEnvs()
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
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
  await expect(loadPeers({ ...peers, metrics: absent })).rejects.toMatchObject({
    code: "missing_dependency",
    message: expect.stringContaining(
      "npm install @opentelemetry/sdk-node@0.301.0 @opentelemetry/sdk-metrics@3.1.0 @opentelemetry/exporter-trace-otlp-http@0.301.0 @opentelemetry/exporter-metrics-otlp-http@0.301.0",
    ),
    cause: expect.objectContaining({ code: "ERR_MODULE_NOT_FOUND" }),
  })
})

test("the versions in the error are those of the package's peers", async () => {
  const { default: manifest } = await import("../package.json", { with: { type: "json" } })
  const absent = () => Promise.reject(new Error("Cannot find package"))
  const error: unknown = await loadPeers({ ...peers, sdk: absent }).catch((reason: unknown) => reason)
  for (const [name, version] of Object.entries(manifest.peerDependencies))
    expect(String(error)).toContain(`${name}@${version}`)
})
