import { AgentScopeError } from "@agentscope-ts/message"
import type { ChatRequest } from "../chat-request.ts"
import type { CallSink } from "../stream/call-sink.ts"
import type { SchemaMode } from "./schema-request.ts"

/** A field of a body that a request can do without. */
export interface OptionalField {
  /** The words in which endpoints name it when they refuse it. */
  readonly named: RegExp
  /** The param that it is made from: who sets that is told that it is left out. */
  readonly param?: string | undefined
}

/** The call that {@link Refusals.retry} makes. */
export interface Refusable {
  readonly request: Pick<ChatRequest, "schema" | "params">
  readonly sink: Pick<CallSink, "warn">
  /** Provider and model, for messages. */
  readonly label: string
}

/** Something that was refused and will be left out from now on, as a warning says it. */
interface Refused {
  readonly code: "unsupported_param" | "schema_fallback" | "forced_tool_choice"
  readonly message: string
}

/** The ways to ask for JSON, from the best to the one that asks least of an endpoint, in words. */
const inWords: Readonly<Record<SchemaMode, string>> = {
  json_schema: "by the schema",
  json_object: "in JSON mode, with the schema in words",
  tool: "by a tool that must be called",
  tool_in_words: "by a tool, asked for in words",
}
const modes = Object.keys(inWords) as readonly SchemaMode[]

const refusing =
  /support|unavailable|not available|unknown|unrecogni[sz]ed|unexpected|not (?:permitted|allowed|one of)|should be|expected|extra inputs/i
const aboutFormat = /response[_ ]format|json[_ ](?:schema|object|mode)|text\.format|structured output/i

/**
 * What an endpoint has refused to take, kept by the model that learned it: the request is made again without, and so are all
 * that follow. Models and gateways differ in this too much, and change too often, to be told by their names.
 */
export class Refusals {
  #mode: SchemaMode
  readonly #optional: Readonly<Record<string, OptionalField>>
  readonly #fields = new Map<string, Refused>()
  #last: Refused | undefined

  /** `optional`: the fields that a request can do without. `mode`: how structured answers are asked for at first. */
  constructor(optional: Readonly<Record<string, OptionalField>>, mode: SchemaMode = "json_schema") {
    this.#optional = optional
    this.#mode = mode
  }

  /** How structured answers are asked for. */
  get mode(): SchemaMode {
    return this.#mode
  }

  /** The fields of a body that are left. */
  without(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    if (this.#fields.size === 0) return fields
    return Object.fromEntries(Object.entries(fields).filter(([name]) => !this.#fields.has(name)))
  }

  /**
   * Sends a request, in another way when the endpoint refuses something that it can do without; the sink is warned of what
   * is left out. `send` gets a key that changes whenever something was learned.
   */
  async retry(call: Refusable, send: (key: string) => Promise<void>): Promise<void> {
    this.#warn(call)
    for (;;) {
      const key = this.#key
      try {
        return await send(key)
      } catch (error) {
        // a refused request has said nothing
        const refused = this.#learn(error, key, call)
        if (refused === undefined) throw error
        call.sink.warn(refused.code, refused.message)
      }
    }
  }

  get #key(): string {
    return `${this.#mode} ${[...this.#fields.keys()].join(" ")}`
  }

  /** Says what of the params is left out. */
  #warn({ request, sink }: Refusable): void {
    const params = (request.params ?? {}) as Readonly<Record<string, unknown>>
    for (const [name, { code, message }] of this.#fields) {
      const param = this.#optional[name]?.param
      if (param !== undefined && params[param] !== undefined) sink.warn(code, message)
    }
  }

  /** Whether a request that was made under `key` can be made again in another way; undefined when it cannot. */
  #learn(error: unknown, key: string, { request, label }: Refusable): Refused | undefined {
    if (!AgentScopeError.is(error) || !["invalid_request", "unsupported"].includes(error.code)) return undefined
    const { message } = error
    if (!refusing.test(message) || /invalid schema/i.test(message)) return undefined
    // another request has learned meanwhile
    if (key !== this.#key) return this.#last
    const otherMode = request.schema === undefined ? undefined : this.#otherMode(message, label)
    this.#last = otherMode ?? this.#fewer(message, label)
    return this.#last
  }

  #otherMode(message: string, label: string): Refused | undefined {
    const about = this.#mode === "tool" ? /tool[_ ]choice/i : aboutFormat
    const mode = about.test(message) ? modes[modes.indexOf(this.#mode) + 1] : undefined
    if (mode === undefined) return undefined
    this.#mode = mode
    const code = mode === "tool_in_words" ? "forced_tool_choice" : "schema_fallback"
    return { code, message: `${label} refused how it was asked for JSON; from now on: ${inWords[mode]}. ${message}` }
  }

  #fewer(message: string, label: string): Refused | undefined {
    const left = Object.entries(this.#optional).filter(([name]) => !this.#fields.has(name))
    const [name] = left.find(([, { named }]) => named.test(message)) ?? []
    if (name === undefined) return undefined
    const why = `${label} does not take ${name}: it is left out. ${message}`
    const refused = { code: "unsupported_param", message: why } as const
    this.#fields.set(name, refused)
    return refused
  }
}
