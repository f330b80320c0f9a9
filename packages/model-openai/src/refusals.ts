import { AgentScopeError } from "@agentscope-ts/message"
import type { ChatRequest } from "@agentscope-ts/model"
import { type SchemaMode, schemaModes } from "./structured-format.ts"

/** Something that was refused and will be left out from now on, as a warning says it. */
export interface Refused {
  readonly code: "unsupported_param" | "schema_fallback" | "forced_tool_choice"
  readonly message: string
}

/** Fields that a request can do without, the words in which an endpoint names them, and the params that they are made from. */
const optional: Readonly<Record<string, { readonly named: RegExp; readonly param?: string }>> = {
  temperature: { named: /\btemperature\b/, param: "temperature" },
  top_p: { named: /\btop_p\b/, param: "topP" },
  stop: { named: /['"`]stop['"`]|parameters?:? stop\b|: stop\b/, param: "stop" },
  seed: { named: /\bseed\b/, param: "seed" },
  parallel_tool_calls: { named: /\bparallel_tool_calls\b/, param: "parallelToolCalls" },
  stream_options: { named: /\bstream_options\b/ },
  include: { named: /encrypted[ _]content|['"`]include['"`]/i },
}
const refusing =
  /support|unavailable|not available|unknown|unrecogni[sz]ed|unexpected|not (?:permitted|allowed|one of)|should be|expected|extra inputs/i

/**
 * What an endpoint has refused to take, kept by the model that learned it: the request is made again without, and so are all
 * that follow. Models and gateways differ in this too much, and change too often, to be told by their names.
 */
export class Refusals {
  #mode: SchemaMode
  readonly #fields = new Map<string, Refused>()
  #last: Refused | undefined

  constructor(mode: SchemaMode = "json_schema") {
    this.#mode = mode
  }

  /** How structured answers are asked for. */
  get mode(): SchemaMode {
    return this.#mode
  }

  /** Changes whenever something was learned. */
  get key(): string {
    return `${this.#mode} ${[...this.#fields.keys()].join(" ")}`
  }

  /** The fields of a body that are left. */
  without(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    if (this.#fields.size === 0) return fields
    return Object.fromEntries(Object.entries(fields).filter(([name]) => !this.#fields.has(name)))
  }

  /** What of these params is left out. */
  told(params: object = {}): readonly Refused[] {
    if (this.#fields.size === 0) return []
    return [...this.#fields].flatMap(([name, refused]) => {
      const param = optional[name]?.param
      return param !== undefined && (params as Record<string, unknown>)[param] !== undefined ? [refused] : []
    })
  }

  /**
   * Learns from the error of a request whether it can be made again in another way; undefined when it cannot. `key` is the
   * one under which it was made.
   */
  learn(error: unknown, key: string, asked: Pick<ChatRequest, "schema">, label: string): Refused | undefined {
    if (!AgentScopeError.is(error) || !["invalid_request", "unsupported"].includes(error.code)) return undefined
    const { message } = error
    if (!refusing.test(message) || /invalid schema/i.test(message)) return undefined
    // another request has learned meanwhile
    if (key !== this.key) return this.#last
    this.#last =
      (asked.schema === undefined ? undefined : this.#otherMode(message, label)) ?? this.#fewer(message, label)
    return this.#last
  }

  #otherMode(message: string, label: string): Refused | undefined {
    const mode = this.#next(message)
    if (mode === undefined) return undefined
    this.#mode = mode
    const code = mode === "tool_in_words" ? "forced_tool_choice" : "schema_fallback"
    return { code, message: `${label} refused how it was asked for JSON; from now on: ${inWords[mode]}. ${message}` }
  }

  #fewer(message: string, label: string): Refused | undefined {
    const name = Object.keys(optional).find((name) => !this.#fields.has(name) && optional[name]?.named.test(message))
    if (name === undefined) return undefined
    const refused = {
      code: "unsupported_param",
      message: `${label} does not take ${name}: it is left out. ${message}`,
    } as const
    this.#fields.set(name, refused)
    return refused
  }

  #next(message: string): SchemaMode | undefined {
    const forced = this.#mode === "tool"
    const about = forced
      ? /tool[_ ]choice/i
      : /response[_ ]format|json[_ ](?:schema|object|mode)|text\.format|structured output/i
    return about.test(message) ? schemaModes[schemaModes.indexOf(this.#mode) + 1] : undefined
  }
}

const inWords: Readonly<Record<SchemaMode, string>> = {
  json_schema: "by the schema",
  json_object: "in JSON mode, with the schema in words",
  tool: "by a tool that must be called",
  tool_in_words: "by a tool, asked for in words",
}
