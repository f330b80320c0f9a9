import { AgentScopeError } from "@agentscope-ts/message"
import type * as Otel from "@opentelemetry/api"
import { captureContent } from "./capture.ts"
import { genAi } from "./gen-ai.ts"
import { Measurement } from "./meters.ts"
import { type ActiveOtel, activeOtel } from "./otel.ts"
import { providerName } from "./provider-name.ts"
import { redact } from "./redact.ts"

/** What a span describes: `gen_ai.operation.name`, and the first word of the span's name. `format` is an operation of ours. */
export type Operation = "chat" | "invoke_agent" | "execute_tool" | "format" | "embeddings" | "generate_content"

/** The values that an attribute can have. */
export type AttributeValue = string | number | boolean | readonly string[] | readonly number[] | readonly boolean[]

/** One timed piece of work in a trace. */
export interface Span {
  /** Whether it takes content (messages, arguments, results): somebody records the span, and content may be captured. */
  readonly takesContent: boolean
  /** Adds one attribute, unless it is `undefined`; what looks like a secret is masked. */
  add(key: string, value: AttributeValue | undefined): void
  /** Adds attributes; those that are `undefined` are left out, and what looks like a secret is masked. */
  set(attributes: Readonly<Record<string, AttributeValue | undefined>>): void
  /**
   * Marks the span as failed: status, `error.type` (an AgentScopeError's code) and the exception, whose message is left out
   * where content is: it may quote what was said. It does not end the span.
   */
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
/** The key under which a context holds the id of the conversation that goes on in it; one for all copies of this package. */
const conversationKey = Symbol.for("agentscope.conversation-id")
const inConversation: ReadonlySet<string> = new Set<Operation>(["chat", "generate_content", "invoke_agent"])
const remote: ReadonlySet<string> = new Set<Operation>(["chat", "generate_content", "embeddings"])

/** Names and ids: to look for secrets in them, at each span, would cost more than the rest of the span. */
const plain: ReadonlySet<string> = new Set([
  genAi.providerName,
  genAi.requestModel,
  genAi.responseModel,
  genAi.responseId,
  genAi.responseFinishReasons,
  genAi.outputType,
  genAi.agentId,
  genAi.toolCallId,
  genAi.toolType,
  genAi.openaiApiType,
  genAi.serverAddress,
])

class OtelSpan implements Span {
  readonly #api: typeof Otel
  readonly #span: Otel.Span | undefined
  readonly #measured: Measurement | undefined
  readonly #parent: Otel.Context
  #context: Otel.Context | undefined
  #recording: boolean
  #open = true

  constructor(api: typeof Otel, span: Otel.Span | undefined, parent: Otel.Context, measured: Measurement | undefined) {
    this.#api = api
    this.#span = span
    this.#parent = parent
    this.#measured = measured
    // a span that the sampler dropped says nothing, but its children must learn from it that they are dropped too
    this.#recording = span?.isRecording() === true
  }

  /** What children are opened in; made when the first one asks. */
  get context(): Otel.Context {
    const span = this.#span
    this.#context ??= span ? this.#api.trace.setSpan(this.#parent, span) : this.#parent
    return this.#context
  }

  get takesContent(): boolean {
    return this.#recording && captureContent()
  }

  add(key: string, value: AttributeValue | undefined): void {
    if (value === undefined || !this.#open) return
    if (this.#recording) {
      const isPlain = typeof value === "number" || plain.has(key)
      this.#span?.setAttribute(key, isPlain ? value : masked(value))
    }
    this.#measured?.note(key, value)
  }

  set(attributes: Readonly<Record<string, AttributeValue | undefined>>): void {
    for (const key in attributes) this.add(key, attributes[key])
  }

  fail(error: unknown): void {
    if (!this.#open) return
    const type = errorType(error)
    this.#measured?.note(genAi.errorType, type)
    const span = this.#span
    if (!this.#recording || span === undefined) return
    span.setAttribute(genAi.errorType, type)
    const said = error instanceof Error ? error.message : String(error)
    const stack = error instanceof Error ? error.stack : undefined
    if (this.takesContent) {
      const message = redact(said)
      span.recordException({ name: type, message, ...(stack !== undefined && { stack: redact(stack) }) })
      span.setStatus({ code: this.#api.SpanStatusCode.ERROR, message })
    } else {
      const frames = stack && framesOf(stack, said)
      span.recordException({ name: type, ...(frames && { stack: `${type}\n${frames}` }) })
      span.setStatus({ code: this.#api.SpanStatusCode.ERROR })
    }
  }

  end(): void {
    if (!this.#open) return
    this.#open = false
    this.#recording = false
    this.#span?.end()
    this.#measured?.end()
  }

  run<T>(fn: () => T): T {
    return this.#api.context.with(this.context, fn)
  }
}

/** The places of a stack, without the message before them. */
function framesOf(stack: string, message: string): string {
  return stack
    .slice(stack.includes(message) ? stack.indexOf(message) + message.length : 0)
    .split("\n")
    .filter((line) => /^ {4}at \S/.test(line))
    .join("\n")
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

/** A span with a name and attributes of any kind, in what is active; {@link startSpan} is the one for GenAI operations. */
export function openSpan(name: string, attributes: Record<string, string>): Span | undefined {
  const otel = activeOtel()
  return otel && openIn(otel, otel.api.context.active(), name, attributes, false)
}

function openIn(
  { api, tracer, meters }: ActiveOtel,
  context: Otel.Context,
  name: string,
  attributes: Record<string, string>,
  isRemote: boolean,
): Span | undefined {
  const measured = isRemote && meters ? new Measurement(meters, attributes) : undefined
  const kind = isRemote ? api.SpanKind.CLIENT : api.SpanKind.INTERNAL
  const span = tracer?.startSpan(name, { kind, attributes }, context)
  const isUseful = span !== undefined && (span.isRecording() || api.isSpanContextValid(span.spanContext()))
  return isUseful || measured ? new OtelSpan(api, isUseful ? span : undefined, context, measured) : undefined
}

/** By structure: the parent may be a span of another installed copy of this package. */
function contextOf(parent: Span | undefined): Otel.Context | undefined {
  return (parent as OtelSpan | undefined)?.context
}

/**
 * Opens the span `OPERATION TARGET` (`chat gpt-5`, `execute_tool get_time`, `format openai`). Its parent is the span given, else the
 * active one: give it wherever the caller may be an iterator, which runs in its consumer's context. `provider` is whose model
 * it is, and `conversationId` which conversation it and what is opened in it belong to. Calls of models are measured as well: duration, tokens and time to the first chunk.
 * `undefined` unless an SDK is registered and loaded ({@link loadTracing}), so that callers write `span?.set({ … })` and
 * attributes are built only when somebody records them.
 */
export function startSpan(
  operation: Operation,
  target: string,
  parent?: Span,
  provider?: string,
  conversationId?: string,
): Span | undefined {
  const otel = activeOtel()
  if (otel === undefined) return undefined
  let context = contextOf(parent) ?? otel.api.context.active()
  if (conversationId !== undefined) context = context.setValue(conversationKey, conversationId)
  const attributes: Record<string, string> = {}
  // the conventions know no such operation: its span has attributes of our own only
  if (operation !== "format") attributes[genAi.operationName] = operation
  const key = targets[operation]
  if (key !== undefined) attributes[key] = target
  if (provider !== undefined) attributes[genAi.providerName] = providerName(provider)
  if (inConversation.has(operation)) {
    const id = context.getValue(conversationKey)
    if (typeof id === "string") attributes[genAi.conversationId] = id
  }
  return openIn(otel, context, `${operation} ${target}`, attributes, remote.has(operation))
}
