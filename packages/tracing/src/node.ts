import { AgentScopeError } from "@agentscope-ts/message"
import type { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http"
import { setCaptureContent } from "./capture.ts"
import { checkTracingOptions } from "./check-tracing-options.ts"
import type { TracingErrorCode } from "./error.ts"
import { loadTracing, metricsRegistered, sdkRegistered } from "./otel.ts"
import { loadPeers } from "./peers.ts"
import { forgetEnvironment } from "./redact.ts"

export type { TracingErrorCode } from "./error.ts"

/** Options of {@link initTracing}. */
export interface TracingOptions {
  /** Names this program in the traces. */
  serviceName: string
  /** Address of a Studio, such as `http://localhost:3000`; it takes traces, no metrics. */
  studioUrl?: string | undefined
  /**
   * Address of an OTLP/HTTP collector: spans go to `/v1/traces` below it, metrics to `/v1/metrics`. A path that ends in
   * `/traces` is the spans' own, and metrics go to `/metrics` beside it.
   */
  otlpEndpoint?: string | undefined
  /** Whether spans hold messages, arguments and results. Default true. What looks like a secret is masked in any case. */
  captureContent?: boolean | undefined
}

/** Tracing that runs. `await using` shuts it down at the end of the block. */
export interface Tracing extends AsyncDisposable {
  /** Sends what is left and takes the SDK away; a second call does nothing. */
  shutdown(): Promise<void>
}

/** Where the spans or the metrics of one address go: a path that names traces is left alone. */
function urlOf(option: "studioUrl" | "otlpEndpoint", address: string, signal: "traces" | "metrics"): string {
  if (!URL.canParse(address)) {
    throw new AgentScopeError<TracingErrorCode>({
      code: "invalid_argument",
      message: `initTracing: ${option} ${JSON.stringify(address)} is no URL. Give one such as "http://localhost:4318".`,
    })
  }
  const url = new URL(address)
  const path = url.pathname.replace(/\/+$/, "")
  url.pathname = path.endsWith("/traces") ? path.replace(/traces$/, signal) : `${path}/v1/${signal}`
  return url.href
}

/** What an exporter is made with. `url` undefined: the variables of OpenTelemetry say where to. */
function exporterOptions(url: string | undefined, signal: "TRACES" | "METRICS") {
  // a collector that is away holds a program's end up for this long; the default of the exporter is 10 s
  const isSet = ["OTEL_EXPORTER_OTLP_TIMEOUT", `OTEL_EXPORTER_OTLP_${signal}_TIMEOUT`].some((name) => process.env[name])
  return { ...(!isSet && { timeoutMillis: 3000 }), ...(url !== undefined && { url }) }
}

/** One exporter in front of several. */
class Fanout {
  readonly #exporters: readonly OTLPTraceExporter[]

  constructor(exporters: readonly OTLPTraceExporter[]) {
    this.#exporters = exporters
  }

  export(...[spans, report]: Parameters<OTLPTraceExporter["export"]>): void {
    let waiting = this.#exporters.length
    let failed: Parameters<typeof report>[0] | undefined
    for (const exporter of this.#exporters) {
      exporter.export(spans, (result) => {
        if ((result.code as number) !== 0) failed = result
        waiting--
        if (waiting === 0) report(failed ?? result)
      })
    }
  }

  async forceFlush(): Promise<void> {
    await Promise.all(this.#exporters.map((exporter) => exporter.forceFlush()))
  }

  async shutdown(): Promise<void> {
    await Promise.all(this.#exporters.map((exporter) => exporter.shutdown()))
  }
}

/**
 * Starts the OpenTelemetry SDK for Node and sends spans and metrics over OTLP/HTTP to Studio, a collector, or both. Without an
 * address the variables `OTEL_EXPORTER_OTLP_…` count, then `http://localhost:4318`. What is left is sent when the event loop
 * runs dry; a program that calls `process.exit` awaits `shutdown()` first.
 * @throws AgentScopeError `missing_dependency` (the message has the install command), `already_started` when an SDK is
 * registered, `invalid_argument` for an option that does not exist or has another type, and an address that is no URL.
 */
export async function initTracing(options: TracingOptions): Promise<Tracing> {
  checkTracingOptions(options)
  const { serviceName, studioUrl, otlpEndpoint } = options
  const urls: (string | undefined)[] = []
  if (studioUrl !== undefined) urls.push(urlOf("studioUrl", studioUrl, "traces"))
  if (otlpEndpoint !== undefined) urls.push(urlOf("otlpEndpoint", otlpEndpoint, "traces"))
  if (urls.length === 0) urls.push(undefined)

  const { NodeSDK, PeriodicExportingMetricReader, OTLPTraceExporter, OTLPMetricExporter } = await loadPeers()
  if (sdkRegistered()) {
    throw new AgentScopeError<TracingErrorCode>({
      code: "already_started",
      message:
        "initTracing: an OpenTelemetry SDK is registered in this process. Shut down the tracing that runs first; with an SDK of your own, spans are made without initTracing (setCaptureContent(true) adds content).",
    })
  }
  const exporters = urls.map((url) => new OTLPTraceExporter(exporterOptions(url, "TRACES")))
  const metricReaders: InstanceType<typeof PeriodicExportingMetricReader>[] = []
  // a Studio alone takes none, and a program that has its own metrics goes on with them
  if ((otlpEndpoint !== undefined || studioUrl === undefined) && !metricsRegistered()) {
    const url = otlpEndpoint === undefined ? undefined : urlOf("otlpEndpoint", otlpEndpoint, "metrics")
    const interval = Number(process.env["OTEL_METRIC_EXPORT_INTERVAL"]) || 60_000
    const timing = { exportIntervalMillis: interval, exportTimeoutMillis: Math.min(interval, 30_000) }
    const exporter = new OTLPMetricExporter(exporterOptions(url, "METRICS"))
    metricReaders.push(new PeriodicExportingMetricReader({ exporter, ...timing }))
  }
  const sdk = new NodeSDK({
    serviceName,
    traceExporter: new Fanout(exporters),
    metricReaders,
    logRecordProcessors: [],
    // by default the SDK records the command line, which may hold keys
    autoDetectResources: process.env["OTEL_NODE_RESOURCE_DETECTORS"] !== undefined,
  })
  sdk.start()
  forgetEnvironment()
  setCaptureContent(options.captureContent ?? true)
  await loadTracing()

  let stopped: Promise<void> | undefined
  const shutdown = () => (stopped ??= stop())
  const stop = async () => {
    process.off("beforeExit", shutdown)
    setCaptureContent(false)
    const { context, diag, logs, metrics, propagation, trace } = await import("@opentelemetry/api")
    // the registrations go first: spans that end from here on are lost, and calls cost nothing again
    trace.disable()
    if (metricReaders.length > 0) metrics.disable()
    logs.disable()
    context.disable()
    propagation.disable()
    await sdk.shutdown().catch((error: unknown) => diag.error("AgentScope tracing: shutdown failed", error))
  }
  process.once("beforeExit", shutdown)
  return { shutdown, [Symbol.asyncDispose]: shutdown }
}
