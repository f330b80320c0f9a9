import { AgentScopeError } from "@agentscope-ts/message"
import type { TracingErrorCode } from "./error.ts"

/** The optional peers, each with the version that belongs to those of the others. */
const packages = [
  "@opentelemetry/sdk-node@0.301.0",
  "@opentelemetry/sdk-metrics@3.1.0",
  "@opentelemetry/exporter-trace-otlp-http@0.301.0",
  "@opentelemetry/exporter-metrics-otlp-http@0.301.0",
]

/** How the optional peers are loaded; tests give others. */
export const peers = {
  sdk: () => import("@opentelemetry/sdk-node"),
  sdkMetrics: () => import("@opentelemetry/sdk-metrics"),
  traces: () => import("@opentelemetry/exporter-trace-otlp-http"),
  metrics: () => import("@opentelemetry/exporter-metrics-otlp-http"),
}

/** The OpenTelemetry SDK and the OTLP exporters, or an error that names the command that installs them. */
export async function loadPeers({ sdk, sdkMetrics, traces, metrics } = peers) {
  try {
    const loaded = await Promise.all([sdk(), sdkMetrics(), traces(), metrics()])
    const [{ NodeSDK }, { PeriodicExportingMetricReader }, { OTLPTraceExporter }, { OTLPMetricExporter }] = loaded
    return { NodeSDK, PeriodicExportingMetricReader, OTLPTraceExporter, OTLPMetricExporter }
  } catch (cause) {
    throw new AgentScopeError<TracingErrorCode>({
      code: "missing_dependency",
      message: `initTracing could not load all of OpenTelemetry. Install it: npm install ${packages.join(" ")}`,
      cause,
    })
  }
}
