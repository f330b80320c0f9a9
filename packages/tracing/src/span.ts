import { AgentScopeError } from "@agentscope-ts/message"
import type * as Otel from "@opentelemetry/api"
import { genAi } from "./gen-ai.ts"
import { activeOtel } from "./otel.ts"
import { redact } from "./redact.ts"

/** What a span describes: `gen_ai.operation.name`, and the first word of the span's name. */
export type Operation = "chat" | "invoke_agent" | "execute_tool" | "format" | "embeddings" | "generate_content"

/** The values that an attribute can have. */
export type AttributeValue = string | number | boolean | readonly string[] | readonly number[] | readonly boolean[]

/** One timed piece of work in a trace. */
export interface Span {
  /** Adds attributes; those that are `undefined` are left out, and what looks like a secret is masked. */
  set(attributes: Readonly<Record<string, AttributeValue | undefined>>): void
  /** Marks the span as failed: status, `error.type` (an AgentScopeError's code) and the exception. It does not end it. */
  fail(error: unknown): void
  /** Ends the span; a second call does nothing. */
  end(): void
  /** Runs `fn` with this span as the active one, also across its awaits: spans that it opens become children. */
  run<T>(fn: () => T): T
}

/** The attribute that holds an operation's target. */
const targets: Readonly<Record<Operation, string | undefined>> = {
  chat: genAi.requestModel,
  generate_content: genAi.requestModel,
  embeddings: genAi.requestModel,
  invoke_agent: genAi.agentName,
  execute_tool: genAi.toolName,
  format: undefined,
}
const remote: ReadonlySet<Operation> = new Set(["chat", "generate_content", "embeddings"])

class OtelSpan implements Span {
  readonly context: Otel.Context
  readonly #api: typeof Otel
  readonly #span: Otel.Span
  #open: boolean

  constructor(api: typeof Otel, span: Otel.Span, parent: Otel.Context) {
    this.#api = api
    this.#span = span
    this.context = api.trace.setSpan(parent, span)
    // a span that the sampler dropped says nothing, but its children must learn from it that they are dropped too
    this.#open = span.isRecording()
  }

  set(attributes: Readonly<Record<string, AttributeValue | undefined>>): void {
    if (!this.#open) return
    for (const key in attributes) {
      const value = attributes[key]
      if (value !== undefined) this.#span.setAttribute(key, masked(value))
    }
  }

  fail(error: unknown): void {
    if (!this.#open) return
    const message = redact(error instanceof Error ? error.message : String(error))
    const stack = error instanceof Error && error.stack !== undefined ? redact(error.stack) : undefined
    const type = errorType(error)
    this.#span.setAttribute(genAi.errorType, type)
    this.#span.recordException({ name: type, message, ...(stack !== undefined && { stack }) })
    this.#span.setStatus({ code: this.#api.SpanStatusCode.ERROR, message })
  }

  end(): void {
    if (!this.#open) return
    this.#open = false
    this.#span.end()
  }

  run<T>(fn: () => T): T {
    return this.#api.context.with(this.context, fn)
  }
}

function masked(value: AttributeValue): Otel.AttributeValue {
  if (typeof value === "string") return redact(value)
  if (typeof value !== "object") return value
  return value.map((item) => (typeof item === "string" ? redact(item) : item)) as string[]
}

function errorType(error: unknown): string {
  if (AgentScopeError.is(error)) return error.code
  return error instanceof Error ? error.name : "_OTHER"
}

/** A span with a name and attributes of any kind; {@link startSpan} is the one for GenAI operations. */
export function openSpan(
  name: string,
  attributes: Record<string, string>,
  isRemote: boolean,
  parent: Span | undefined,
): Span | undefined {
  const otel = activeOtel()
  if (otel === undefined) return undefined
  const { api, tracer } = otel
  // by structure: the parent may be a span of another installed copy of this package
  const context = (parent as OtelSpan | undefined)?.context ?? api.context.active()
  const kind = isRemote ? api.SpanKind.CLIENT : api.SpanKind.INTERNAL
  const span = tracer.startSpan(name, { kind, attributes }, context)
  return span.isRecording() || api.isSpanContextValid(span.spanContext()) ? new OtelSpan(api, span, context) : undefined
}

/**
 * Opens the span `OPERATION TARGET` (`chat gpt-5`, `execute_tool get_time`, `format openai`). Its parent is the span given, else the
 * active one: give it wherever the caller may be an iterator, which runs in its consumer's context.
 * `undefined` unless an SDK is registered and loaded ({@link loadTracing}), so that callers write `span?.set({ … })` and
 * attributes are built only when somebody records them.
 */
export function startSpan(operation: Operation, target: string, parent?: Span): Span | undefined {
  const attributes: Record<string, string> = { [genAi.operationName]: operation }
  const key = targets[operation]
  if (key !== undefined) attributes[key] = target
  return openSpan(`${operation} ${target}`, attributes, remote.has(operation), parent)
}
