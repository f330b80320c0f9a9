import {
  type JsonSchema,
  type Schema,
  type ToolResultBlock,
  type ToolUseBlock,
  toolResult,
} from "@agentscope-ts/message"
import { jsonSchemaOf, type ToolSchema, validatorOf } from "@agentscope-ts/model"
import { agentError } from "../agent-error.ts"

/** The tool through which the model hands over a structured reply. */
export const finishToolName = "generate_response"

/** What became of an answer: the value, or what is wrong with it, for the model to read. */
export type Structured =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string }

/**
 * A reply that has to fit a schema: the finish tool that asks for it, and the check of what comes. A schema of anything but
 * an object is wrapped, since a tool's arguments are one.
 */
export class StructuredReply {
  readonly tool: ToolSchema
  readonly #schema: Schema
  readonly #wrapped: boolean
  #tools: readonly ToolSchema[] | undefined
  #own: readonly ToolSchema[] | undefined

  constructor(schema: Schema) {
    const json = jsonSchemaOf(schema, "The schema of the reply")
    this.#schema = schema
    this.#wrapped = json.type !== "object"
    this.tool = {
      name: finishToolName,
      description: "Give the final answer. Call it once, alone, when the answer is complete.",
      parameters: this.#wrapped ? wrap(json) : json,
    }
  }

  /** The agent's tools and the finish tool: the same array as long as the agent's is. */
  toolsWith(own: readonly ToolSchema[] | undefined): readonly ToolSchema[] {
    if (this.#tools && this.#own === own) return this.#tools
    if (own?.some(({ name }) => name === finishToolName)) {
      throw agentError(
        "name_clash",
        `A reply with a schema needs the tool name "${finishToolName}", which a tool of the agent has: register that tool under another name.`,
      )
    }
    this.#own = own
    this.#tools = own ? [...own, this.tool] : [this.tool]
    return this.#tools
  }

  /** The arguments of a call of the finish tool. */
  ofCall({ input, rawInput }: ToolUseBlock): Structured {
    if (rawInput !== undefined) return { ok: false, problem: "The arguments are no JSON object." }
    return this.#check(this.#wrapped ? input["response"] : input)
  }

  /** A plain text; models put JSON between fences. */
  ofText(text: string): Structured {
    const fenced = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?\s*```\s*$/.exec(text)
    let value: unknown
    try {
      value = JSON.parse(fenced?.[1] ?? text)
    } catch {
      return { ok: false, problem: "The answer is no JSON." }
    }
    return this.#check(value)
  }

  #check(value: unknown): Structured {
    const checked = validatorOf(this.#schema)(value)
    if (checked.ok) return checked
    const issues = checked.issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`))
    return { ok: false, problem: `The answer does not fit the schema: ${issues.join("; ")}.` }
  }
}

/** The result of a call of the finish tool. */
export function finishResult(toolUse: ToolUseBlock, structured: Structured): ToolResultBlock {
  return structured.ok
    ? toolResult(toolUse, "The answer was taken.")
    : toolResult(toolUse, `${structured.problem} Call ${finishToolName} again.`, { state: "error" })
}

/** A tool's arguments are an object; what the schema refers to inside itself moves up with it. */
function wrap(schema: JsonSchema): JsonSchema {
  const { $defs, ...response } = schema
  const wrapped = { type: "object", properties: { response }, required: ["response"] }
  return $defs === undefined ? wrapped : { ...wrapped, $defs }
}
