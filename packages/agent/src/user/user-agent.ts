import { createMsg, type Msg, type Schema, textOf, userMsg } from "@agentscope-ts/message"
import { jsonSchemaOf, validatorOf } from "@agentscope-ts/model"
import { AgentBase, type AgentOptions, type InterruptContext } from "../base/agent-base.ts"
import { agentError } from "../agent-error.ts"
import type { RunContext } from "../base/agent-run.ts"
import { checkNames, checkOption } from "../options.ts"
import { askStructured } from "./structured-input.ts"
import { askLine } from "./terminal-input.ts"

/**
 * Asks a person: with a `schema`, for a value that fits it (JSON text, or a message with `structured`). It should give up
 * when `signal` aborts.
 */
export type UserInput = (request: {
  readonly name: string
  readonly schema?: Schema
  readonly signal: AbortSignal
}) => Promise<string | Msg>

/** Options of a {@link UserAgent}. */
export interface UserAgentOptions extends AgentOptions {
  /** Where the person's words come from; the program's terminal unless given. */
  input?: UserInput | undefined
}

/**
 * Stands for a person: its reply is what the person says, as a user message. What it is told is not kept. At the terminal,
 * the end of the input rejects with `input_closed`, Ctrl-C with `aborted`.
 */
export class UserAgent extends AgentBase {
  readonly #input: UserInput | undefined

  constructor(options: UserAgentOptions) {
    checkNames("UserAgent", options, ["name", "input", "hooks", "print", "whenBusy"])
    checkOption("UserAgent", "input", options.input, typeof options.input === "function", "a function")
    super(options)
    this.#input = options.input
  }

  protected override async run(_messages: readonly Msg[], { options, signal }: RunContext): Promise<Msg> {
    const { schema } = options
    const { name } = this
    if (this.#input) {
      const answer = await this.#input({ name, ...(schema && { schema }), signal })
      const msg = typeof answer === "string" ? userMsg(answer, { name }) : answer
      return schema ? { ...msg, structured: this.#structured(msg, schema) } : msg
    }
    if (schema === undefined) return userMsg(await askLine(`${name}: `, signal), { name })
    const structured = await askStructured(name, jsonSchemaOf(schema), validatorOf(schema), (question) =>
      askLine(question, signal),
    )
    return createMsg({ name, role: "user", content: JSON.stringify(structured), structured })
  }

  #structured(msg: Msg, schema: Schema): unknown {
    let value = msg.structured
    if (value === undefined) {
      try {
        value = JSON.parse(textOf(msg))
      } catch (cause) {
        throw this.#unfit("the answer is no JSON", cause)
      }
    }
    const checked = validatorOf(schema)(value)
    if (checked.ok) return checked.value
    throw this.#unfit(checked.issues.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join("; "))
  }

  #unfit(what: string, cause?: unknown) {
    return agentError("invalid_argument", `UserAgent "${this.name}": the input does not fit the schema: ${what}.`, {
      cause,
    })
  }

  /** Whoever interrupts a person speaks for it. */
  protected override async handleInterrupt({ by }: InterruptContext): Promise<Msg> {
    return by ?? userMsg("", { name: this.name })
  }
}
