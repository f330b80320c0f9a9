import { findContext, type ToolContext } from "../context.ts"
import { toolError } from "../error.ts"
import { drain } from "../execution/drain.ts"
import { Suspension } from "../execution/suspension.ts"
import { invalidInput } from "../execution/invalid-input.ts"
import type { ToolDefinition } from "./definition.ts"

/** {@link Tool.run}: validates, executes, and gives the tool's own value; every failure throws. */
export async function runTool(name: string, tool: ToolDefinition, input: unknown, ctx?: ToolContext): Promise<unknown> {
  if (tool.execute === undefined) {
    throw toolError(
      "external_tool",
      `The tool "${name}" has no execute: it is run outside, and cannot be run from code.`,
    )
  }
  const checked = tool.validate(input)
  if (!checked.ok) throw toolError("invalid_input", invalidInput(name, checked.issues))
  const context = ctx ?? new LoneContext(name)
  return drain(tool.execute(checked.value, context), context)
}

/** The context of a tool that runs outside any call. */
class LoneContext implements ToolContext {
  readonly toolUseId = ""
  readonly idempotencyKey = ""
  readonly #name: string
  #signal: AbortSignal | undefined

  constructor(name: string) {
    this.#name = name
  }

  get signal(): AbortSignal {
    this.#signal ??= new AbortController().signal
    return this.#signal
  }

  get emit(): ToolContext["emit"] {
    return () => {}
  }

  get get(): ToolContext["get"] {
    return (token) => findContext(undefined, token, this.#name)
  }

  get suspend(): ToolContext["suspend"] {
    return (reason) => {
      throw new Suspension(this.#name, reason)
    }
  }
}
