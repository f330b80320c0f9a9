import { AgentScopeError } from "@agentscope-ts/message"
import type { ChatRequest } from "../chat-request.ts"
import type { CallSink } from "../stream/call-sink.ts"
import { isForced } from "./forced-choice.ts"
import { type OptionalField, optionalFields } from "./optional-fields.ts"
import type { SchemaMode } from "./answer-plan.ts"

/** The call that {@link Refusals.retry} makes. */
export interface Refusable {
  readonly request: Pick<ChatRequest, "schema" | "params" | "toolChoice">
  readonly sink: Pick<CallSink, "warn">
  /** Provider and model, for messages. */
  readonly label: string
}

/** Something that was refused and will be left out from now on, as a warning says it; empty where nothing is lost. */
interface Refused {
  readonly code: "unsupported_param" | "schema_fallback" | "forced_tool_choice"
  readonly message: string
  /** The field, and the value that it may not have; undefined for any. */
  readonly name?: string
  readonly value?: string | undefined
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
const namedValue = /(?:does not support|value:?) ['"`](?!reasoning)([\w.-]+)['"`]/i
const aboutChoice = /tool[_ ]choice/i
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
  #unforced: string | undefined
  /** How often something was learned. */
  #learned = 0

  /** `mode`: how structured answers are asked for at first. `optional`: the fields that a request can do without. */
  constructor(mode: SchemaMode = "json_schema", optional: Readonly<Record<string, OptionalField>> = optionalFields) {
    this.#optional = optional
    this.#mode = mode
  }

  /** How structured answers are asked for. */
  get mode(): SchemaMode {
    return this.#mode
  }

  /** Why a model cannot be made to call a tool; undefined as long as it was not refused. */
  get unforced(): string | undefined {
    return this.#unforced
  }

  /** The fields of a body that are left, or by what name they are taken; `warn` hears of a value that is not. */
  without(fields: Readonly<Record<string, unknown>>, warn?: CallSink["warn"]): Readonly<Record<string, unknown>> {
    if (this.#fields.size === 0) return fields
    const left: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(fields)) {
      if (value === undefined) continue
      const refused = this.#fields.get(name) ?? this.#ofValue(name, value)
      const { instead } = this.#optional[name] ?? {}
      if (refused === undefined) left[name] = value
      else if (instead !== undefined) left[instead] = value
      else if (refused.value !== undefined) warn?.(refused.code, refused.message)
    }
    return left
  }

  #ofValue(name: string, value: unknown): Refused | undefined {
    const said = JSON.stringify(value)
    return [...this.#fields.values()].find((one) => one.name === name && said.includes(`"${one.value}"`))
  }

  /**
   * Sends a request, in another way when the endpoint refuses something that it can do without; the sink is warned of what
   * is left out. `send` gets a key that changes whenever something was learned.
   */
  async retry(call: Refusable, send: (key: string) => Promise<void>): Promise<void> {
    this.#warn(call)
    for (;;) {
      const key = String(this.#learned)
      try {
        return await send(key)
      } catch (error) {
        // a refused request has said nothing
        const refused = this.#learn(error, key, call)
        if (refused === undefined) throw error
        if (refused.message !== "") call.sink.warn(refused.code, refused.message)
      }
    }
  }

  /** Says what of the params is left out. */
  #warn({ request, sink }: Refusable): void {
    const params = (request.params ?? {}) as Readonly<Record<string, unknown>>
    for (const [name, { code, message }] of this.#fields) {
      // a value that is refused is told of where it is left out
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
    if (key !== String(this.#learned)) return this.#last
    const otherMode = request.schema === undefined ? undefined : this.#otherMode(message, label)
    this.#last = otherMode ?? this.#unforce(message, request, label) ?? this.#fewer(message, label)
    if (this.#last) this.#learned++
    return this.#last
  }

  /** What the plans say from now on: the warning is theirs. */
  #unforce(message: string, { toolChoice }: Refusable["request"], label: string): Refused | undefined {
    if (this.#unforced !== undefined || !aboutChoice.test(message) || !isForced(toolChoice)) return undefined
    this.#unforced = `${label} cannot be made to call a tool. ${message}`
    return { code: "forced_tool_choice", message: "" }
  }

  #otherMode(message: string, label: string): Refused | undefined {
    const about = this.#mode === "tool" ? aboutChoice : aboutFormat
    const mode = about.test(message) ? modes[modes.indexOf(this.#mode) + 1] : undefined
    if (mode === undefined) return undefined
    this.#mode = mode
    const code = mode === "tool_in_words" ? "forced_tool_choice" : "schema_fallback"
    return { code, message: `${label} refused how it was asked for JSON; from now on: ${inWords[mode]}. ${message}` }
  }

  /** The field that is named first is the one that is refused: others may be what to take for it. */
  #fewer(message: string, label: string): Refused | undefined {
    const places = Object.entries(this.#optional).flatMap(([name, { named, instead, byValue }]) => {
      const value = byValue ? namedValue.exec(message)?.[1] : undefined
      const key = value === undefined ? name : `${name}=${value}`
      const at = message.search(named)
      return at < 0 || this.#fields.has(key) ? [] : [{ at, key, name, value, instead }]
    })
    const [first] = places.toSorted((a, b) => a.at - b.at)
    if (first === undefined) return undefined
    const { key, name, value, instead } = first
    const what = value === undefined ? name : `${name} "${value}"`
    const why = instead === undefined ? `${label} does not take ${what}: it is left out. ${message}` : ""
    const refused = { code: "unsupported_param", message: why, name, value } as const
    this.#fields.set(key, refused)
    return refused
  }
}
