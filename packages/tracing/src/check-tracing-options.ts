import { AgentScopeError, describeValue, nearestName } from "@agentscope-ts/message"
import type { TracingErrorCode } from "./error.ts"
import type { TracingOptions } from "./node.ts"

const types: Readonly<Record<keyof TracingOptions, "string" | "boolean">> = {
  serviceName: "string",
  studioUrl: "string",
  otlpEndpoint: "string",
  captureContent: "boolean",
}
const names = Object.keys(types)
/** What the variables of OpenTelemetry and other libraries call our options. */
const elsewhere = new Map([
  ...["endpoint", "url", "collector", "otlpUrl", "exporterUrl"].map((name) => [name, "otlpEndpoint"] as const),
  ...["name", "service"].map((name) => [name, "serviceName"] as const),
])

const invalid = (problem: string): AgentScopeError<TracingErrorCode> =>
  new AgentScopeError({ code: "invalid_argument", message: `initTracing: ${problem}` })

/** Throws `invalid_argument` for options that do not exist (a misspelt address would send to the default) or do not fit. */
export function checkTracingOptions(options: unknown): void {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw invalid('give an object with at least a serviceName: initTracing({ serviceName: "friday" }).')
  }
  const given = options as Readonly<Record<string, unknown>>
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || names.includes(name)) continue
    const meant = elsewhere.get(name) ?? nearestName(name, names)
    const hint = meant === undefined ? `There are: ${names.join(", ")}.` : `Did you mean "${meant}"?`
    throw invalid(`there is no option "${name}". ${hint}`)
  }
  if (given["serviceName"] === undefined || given["serviceName"] === "") {
    throw invalid('serviceName is missing: it names this program in the traces, such as "friday".')
  }
  for (const [name, type] of Object.entries(types)) {
    const value = given[name]
    if (value === undefined || typeof value === type) continue
    const expected = type === "string" ? "a text" : "true or false"
    throw invalid(`${name} must be ${expected}, not ${describeValue(value)}.`)
  }
}
