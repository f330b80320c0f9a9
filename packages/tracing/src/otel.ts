import type * as Otel from "@opentelemetry/api"
import { Meters } from "./meters.ts"

// Where every copy of the OpenTelemetry API, of any 1.x version, keeps what an SDK registered.
const globalKey = Symbol.for("opentelemetry.js.api.1")
const holder = globalThis as { [globalKey]?: { readonly trace?: object; readonly metrics?: object } }

let api: typeof Otel | undefined
let loading: Promise<void> | undefined
let traceProvider: object | undefined
let meterProvider: object | undefined
let active: ActiveOtel | undefined

/** The API, with what to make spans and measurements with; one of the two is there. */
export interface ActiveOtel {
  readonly api: typeof Otel
  readonly tracer: Otel.Tracer | undefined
  readonly meters: Meters | undefined
}

/** An SDK registered itself as the provider of tracers. */
export function sdkRegistered(): boolean {
  return holder[globalKey]?.trace !== undefined
}

/** An SDK registered itself as the provider of meters. */
export function metricsRegistered(): boolean {
  return holder[globalKey]?.metrics !== undefined
}

/** An SDK is registered globally and the OpenTelemetry API is loaded: spans can be made. Costs nanoseconds. */
export function tracingReady(): boolean {
  return api !== undefined && (sdkRegistered() || metricsRegistered())
}

/**
 * Loads the OpenTelemetry API (10 ms) if an SDK registered itself and it is not loaded. `undefined`: nothing to wait for.
 * Agents call it at the start of a run. It never rejects: without the API there are no spans.
 */
export function loadTracing(): Promise<void> | undefined {
  if (api !== undefined || !(sdkRegistered() || metricsRegistered())) return undefined
  loading ??= import("@opentelemetry/api").then(
    (loaded) => {
      api = loaded
    },
    () => {},
  )
  return loading
}

/** The API and what the registered SDK makes, looked up anew when another SDK took its place. */
export function activeOtel(): ActiveOtel | undefined {
  if (api === undefined) return undefined
  const registered = holder[globalKey]
  const { trace, metrics } = registered ?? {}
  if (trace === undefined && metrics === undefined) return undefined
  if (active === undefined || trace !== traceProvider || metrics !== meterProvider) {
    traceProvider = trace
    meterProvider = metrics
    active = {
      api,
      tracer: trace && api.trace.getTracer("agentscope-ts"),
      meters: metrics && new Meters(api.metrics.getMeter("agentscope-ts"), api.ValueType.INT),
    }
  }
  return active
}
