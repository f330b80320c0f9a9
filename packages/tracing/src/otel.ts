import type * as Otel from "@opentelemetry/api"

// Where every copy of the OpenTelemetry API, of any 1.x version, keeps what an SDK registered.
const globalKey = Symbol.for("opentelemetry.js.api.1")
const holder = globalThis as { [globalKey]?: { readonly trace?: object } }

let api: typeof Otel | undefined
let loading: Promise<void> | undefined
let provider: object | undefined
let tracer: Otel.Tracer | undefined

/** An SDK registered itself as the provider of tracers. */
export function sdkRegistered(): boolean {
  return holder[globalKey]?.trace !== undefined
}

/** An SDK is registered globally and the OpenTelemetry API is loaded: spans can be made. Costs nanoseconds. */
export function tracingReady(): boolean {
  return api !== undefined && sdkRegistered()
}

/**
 * Loads the OpenTelemetry API (10 ms) if an SDK registered itself and it is not loaded. `undefined`: nothing to wait for.
 * Agents call it at the start of a run. It never rejects: without the API there are no spans.
 */
export function loadTracing(): Promise<void> | undefined {
  if (api !== undefined || !sdkRegistered()) return undefined
  loading ??= import("@opentelemetry/api").then(
    (loaded) => {
      api = loaded
    },
    () => {},
  )
  return loading
}

/** The API and the registered SDK's tracer, looked up anew when another SDK took its place. */
export function activeOtel(): { readonly api: typeof Otel; readonly tracer: Otel.Tracer } | undefined {
  const registered = holder[globalKey]?.trace
  if (api === undefined || registered === undefined) return undefined
  if (tracer === undefined || registered !== provider) {
    provider = registered
    tracer = api.trace.getTracer("agentscope-ts")
  }
  return { api, tracer }
}
