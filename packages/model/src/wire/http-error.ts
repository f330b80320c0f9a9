import { type AgentScopeError, ambient, cutText, type JsonObject } from "@agentscope-ts/message"
import { classifyError } from "../errors/classify-error.ts"
import { type ModelErrorCode, modelError } from "../errors/model-error.ts"
import type { ResponseHeaders } from "./exchange.ts"

/** A failure as a provider told it: the words of an error object, wherever in a body they stood. */
export interface ToldFailure {
  readonly message?: string | undefined
  readonly code?: string | number | undefined
  readonly type?: string | undefined
  /** How long it asks to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined
}

/** The longest text of a provider's that goes into a message. */
const maxMessage = 4000

/** What an HTTP answer that is no success says. `label` is where it came from. */
export interface HttpFailure {
  readonly label: string
  readonly status: number
  readonly headers: ResponseHeaders
  readonly body: string
}

/**
 * The error of an HTTP answer that is no success. `details`: `status`, the provider's own `code` and `type`,
 * `retryAfterMs` when it names a time to wait, `requestId`, and as `advice` what the message says in brackets at its end.
 */
export function httpError({ label, status, headers, body }: HttpFailure): AgentScopeError<ModelErrorCode> {
  if (status >= 300 && status < 400) return redirectError(label, status, headers["location"])
  const told = failureIn(body)
  const { code, retryable } = classifyError({ status, ...told })
  const said = told?.message ?? (body.trim() === "" ? "" : `no JSON but ${JSON.stringify(cutText(body.trim(), 200))}`)
  const advice = adviceOf(code)
  return modelError({
    code,
    retryable,
    message: `${label} answered ${status}${said === "" ? "" : `: ${cutText(said, maxMessage)}`}${aside(advice)}`,
    details: details({
      status,
      code: told?.code,
      type: told?.type,
      retryAfterMs: retryAfterMs(headers) ?? told?.retryAfterMs,
      requestId: headers["x-request-id"] ?? headers["request-id"],
      advice,
    }),
  })
}

/** The error of a failure that came inside an answer which began as a success. */
export function toldError(label: string, told: ToldFailure): AgentScopeError<ModelErrorCode> {
  const status = typeof told.code === "number" ? told.code : undefined
  const { code, retryable } = classifyError({ ...told, status })
  const said = cutText(told.message ?? String(told.type ?? told.code ?? "no reason given"), maxMessage)
  const advice = adviceOf(code)
  const message = `${label} failed within its answer: ${said}${aside(advice)}`
  const { type, retryAfterMs } = told
  return modelError({
    code,
    retryable,
    message,
    details: details({ status, code: told.code, type, retryAfterMs, advice }),
  })
}

/**
 * The words of an error body. Providers write `{ error: { message, code, type } }`, `{ error: "…" }`,
 * `{ message, code }`, `{ detail }` (a text or a list of `{ msg }`), `{ errors: [{ message }] }`, or a list with one of
 * these in it; anything else is undefined.
 */
export function failureIn(body: string): ToldFailure | undefined {
  try {
    return failureOf(JSON.parse(body))
  } catch {
    return undefined
  }
}

/** {@link failureIn} for a value that is parsed already. */
export function failureOf(value: unknown): ToldFailure | undefined {
  if (Array.isArray(value)) return value.length > 0 ? failureOf(value[0]) : undefined
  if (typeof value === "string") return { message: value }
  if (typeof value !== "object" || value === null) return undefined
  const { error, errors, message, msg, detail, details: more, code, type, status } = value as Record<string, unknown>
  if (error !== undefined && error !== null) {
    const inner = failureOf(error)
    // `type: "error"` says what the object is, not what failed
    if (inner) return { code: word(code), type: type === "error" ? undefined : text(type), ...defined(inner) }
  }
  if (Array.isArray(errors) && errors.length > 0) return failureOf(errors)
  const said = text(message) ?? text(msg) ?? (Array.isArray(detail) ? failureOf(detail)?.message : text(detail))
  if (said === undefined && word(code) === undefined && text(type) === undefined) return undefined
  // Gemini: a number as code, the word as status
  return {
    message: said,
    code: word(code) ?? text(status),
    type: text(type) ?? text(status),
    retryAfterMs: delayIn(more),
  }
}

/** Google's `RetryInfo` among the details of an error: `{ retryDelay: "34.5s" }`. */
function delayIn(details: unknown): number | undefined {
  if (!Array.isArray(details)) return undefined
  const delays = (details as readonly ({ readonly retryDelay?: unknown } | null)[]).map((item) => item?.retryDelay)
  const seconds = delays.map((delay) => /^(\d+(?:\.\d+)?)s$/.exec(String(delay))?.[1]).find(Boolean)
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000)
}

/**
 * How long the server asks to wait, in milliseconds: `retry-after-ms`, else `retry-after` in seconds, else as a date.
 * What is no time, or a time below zero, counts as not said.
 */
export function retryAfterMs(headers: ResponseHeaders): number | undefined {
  const ms = amount(headers["retry-after-ms"])
  if (ms !== undefined) return ms
  const after = headers["retry-after"]?.trim()
  if (after === undefined || after === "") return undefined
  const seconds = amount(after)
  if (seconds !== undefined) return seconds * 1000
  // a date as HTTP writes it: Date.parse alone would take "5 apples" for a month of May
  if (!/^[A-Za-z]{3,9},? \d{1,2}[ -][A-Za-z]{3}|^[A-Za-z]{3} [A-Za-z]{3} |^\d{4}-\d\d-\d\dT/.test(after))
    return undefined
  const at = Date.parse(after)
  return Number.isNaN(at) ? undefined : Math.max(0, at - ambient().now())
}

function amount(value: string | undefined): number | undefined {
  return value !== undefined && /^\s*\d+(?:\.\d+)?\s*$/.test(value) ? Number(value) : undefined
}

function redirectError(label: string, status: number, location: string | undefined): AgentScopeError<ModelErrorCode> {
  const to = location === undefined ? "" : ` to ${JSON.stringify(cutText(location.replace(/\?.*$/s, ""), 500))}`
  const message = `${label} redirects${to} (${status}). Redirects are not followed, since a key would go along: set baseURL to the address itself.`
  return modelError({ code: "invalid_request", message, details: { status } })
}

/** What whoever writes the program can do; a program with advice of its own finds it in `details`. */
function adviceOf(code: ModelErrorCode): string | undefined {
  switch (code) {
    case "authentication":
      return "check the API key: the apiKey option or its variable, and that it belongs to this baseURL"
    case "not_found":
      return "check the name of the model and the path of baseURL"
    default:
      return undefined
  }
}

/** Advice as it stands at the end of a message. */
const aside = (advice: string | undefined): string => (advice === undefined ? "" : ` (${advice})`)

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)
const word = (value: unknown): string | number | undefined => (typeof value === "number" ? value : text(value))

/** Without the absent ones: they must not cover what stands outside. */
function defined<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as Partial<T>
}

function details(values: Record<string, string | number | undefined>): JsonObject {
  return defined(values) as JsonObject
}
