import { AgentScopeError } from "@agentscope-ts/message"
import type { TracingErrorCode } from "./error.ts"

const version = "0.301.0"

/** How the optional peers are loaded; tests give others. */
export const peers = {
  sdk: () => import("@opentelemetry/sdk-node"),
  exporter: () => import("@opentelemetry/exporter-trace-otlp-http"),
}

/** The OpenTelemetry SDK and the OTLP exporter, or an error that names the command that installs them. */
export async function loadPeers({ sdk, exporter } = peers) {
  try {
    const [{ NodeSDK }, { OTLPTraceExporter }] = await Promise.all([sdk(), exporter()])
    return { NodeSDK, OTLPTraceExporter }
  } catch (cause) {
    const names = ["@opentelemetry/sdk-node", "@opentelemetry/exporter-trace-otlp-http"]
    throw new AgentScopeError<TracingErrorCode>({
      code: "missing_dependency",
      message: `initTracing could not load ${names.join(" and ")}. Install them: npm install ${names.map((name) => `${name}@${version}`).join(" ")}`,
      cause,
    })
  }
}
