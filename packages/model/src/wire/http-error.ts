import { type AgentScopeError, ambient, cutText, type JsonObject } from "@agentscope-ts/message"
import { classifyError } from "../errors/classify-error.ts"
import { type ModelErrorCode, modelError } from "../errors/model-error.ts"
import type { ResponseHeaders } from "./exchange.ts"

/** A failure as a provider told it: the words of an error object, wherever in a body they stood. */
export interface ToldFailure {
  readonly message?: string | undefined
  readonly code?: string | number | undefined
  readonly type?: string | undefined
  /** A word that stands deeper: `reason` among the details, or what an endpoint behind this one gave as its code. */
  readonly reason?: string | undefined
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
  const status = isStatus(told.code) ? Number(told.code) : undefined
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
 * `{ message, code }`, `{ detail }` (a text or a list of `{ msg }`), `{ errors: [{ message }] }`,
 * `{ base_resp: { status_code, status_msg } }`, or a list with one of these in it; anything else is undefined. A gateway
 * that passes an error on (`metadata.raw`) has the words of both.
 */
export function failureIn(body: string): ToldFailure | undefined {
  try {
    return failureOf(JSON.parse(body))
  } catch {
    return undefined
  }
}

/**
 * {@link failureIn} for a value that is parsed already. For what is known to be a failure only: any object with a `message`,
 * a `code` or a `type` reads as one, and many events have these that are none.
 */
export function failureOf(value: unknown): ToldFailure | undefined {
  if (Array.isArray(value)) return value.length > 0 ? failureOf(value[0]) : undefined
  if (typeof value === "string") return { message: value }
  if (typeof value !== "object" || value === null) return undefined
  const body = value as Record<string, unknown>
  const { error, errors, message, msg, detail, code, type, status } = body
  if (error !== undefined && error !== null) {
    const inner = failureOf(error)
    // `type: "error"` says what the object is, not what failed
    const outer = { code: word(code) ?? statusIn(body), type: type === "error" ? undefined : text(type) }
    if (inner) return { ...outer, ...defined(inner) }
  }
  if (Array.isArray(errors) && errors.length > 0) return failureOf(errors)
  const based = baseFailure(body["base_resp"])
  if (based) return based
  const said = saidIn(message) ?? located(text(msg), body["loc"]) ?? saidIn(detail)
  if (said === undefined && word(code) === undefined && text(type) === undefined) return undefined
  return {
    message: said,
    // Gemini: a number as code, the word as status
    code: word(code) ?? text(status) ?? statusIn(body),
    type: text(type) ?? text(status),
    reason: reasonIn(body),
    retryAfterMs: delayIn(body["details"]),
    ...passedOn(said, body["metadata"]),
  }
}

/** What was said of a place in the body, with the place where the words do not name it. */
function located(said: string | undefined, loc: unknown): string | undefined {
  const path = Array.isArray(loc) ? loc.filter((part) => part !== "body").join(".") : ""
  return said === undefined || path === "" || said.includes(path) ? said : `${path}: ${said}`
}

/** A text, or the one of an object or a list that stands in its place. */
const saidIn = (value: unknown): string | undefined =>
  text(typeof value === "object" ? failureOf(value)?.message : value)

/** MiniMax: an answer that has a number but zero as its own status is none, whatever HTTP says. */
export function baseFailure(value: unknown): ToldFailure | undefined {
  const { status_code: code, status_msg: message } = (value ?? {}) as Record<string, unknown>
  return typeof code === "number" && code !== 0 ? { code, message: text(message) } : undefined
}

/** OpenRouter: the body of the endpoint behind it, whose words say more than its own. */
function passedOn(said: string | undefined, metadata: unknown): ToldFailure | undefined {
  const raw = (metadata as { readonly raw?: unknown } | null | undefined)?.raw
  const behind = typeof raw === "string" ? (failureIn(raw) ?? { message: text(raw.trim()) }) : failureOf(raw)
  if (behind?.message === undefined || said?.includes(behind.message)) return undefined
  const { message, code, type, reason } = behind
  const words = [reason, code, type].find((found) => typeof found === "string" && !isStatus(found))
  return { message: said === undefined ? message : `${said}: ${message}`, ...defined({ reason: text(words) }) }
}

/** `details: [{ reason }]`, as Google has it, or `innererror: { code }`, as Azure has. */
function reasonIn({ details: more, innererror }: Record<string, unknown>): string | undefined {
  const reasons = (Array.isArray(more) ? more : []) as readonly ({ readonly reason?: unknown } | null)[]
  const inner = (innererror as { readonly code?: unknown } | null | undefined)?.code
  return reasons.map((item) => text(item?.reason)).find((reason) => reason !== undefined) ?? text(inner)
}

/** A status of HTTP that stands in the body: beside an error inside a stream it is all that tells its kind. */
function statusIn({ status, status_code, statusCode, http_code }: Record<string, unknown>): number | undefined {
  const found = [status, status_code, statusCode, http_code].find(isStatus)
  return found === undefined ? undefined : Number(found)
}

const isStatus = (value: unknown): boolean =>
  (typeof value === "number" || typeof value === "string") && /^[45]\d\d$/.test(String(value))

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
