import type { ToolSchema } from "@agentscope-ts/model"
import { type AnyTool, Toolkit } from "@agentscope-ts/tool"
import { agentError } from "../agent-error.ts"

/** The tools that one agent has for itself, beside a toolkit that it may share. */
export class OwnTools {
  readonly toolkit: Toolkit
  #shared: readonly ToolSchema[] | undefined
  #all: readonly ToolSchema[]

  constructor(tools: readonly AnyTool[]) {
    this.toolkit = new Toolkit({ tools, metaTool: false, taped: false })
    this.#all = this.toolkit.schemas()
  }

  /** Refuses a toolkit with a tool of the same name in any group. @throws AgentScopeError `name_clash`. */
  checkBeside(shared: Toolkit): void {
    const taken = this.toolkit.schemas().find(({ name }) => shared.get(name))
    if (taken) throw clash(taken.name)
  }

  /**
   * The schemas of the shared tools and of these: the same array as long as the shared ones are.
   * @throws AgentScopeError `name_clash` when a tool of both has one name.
   */
  schemasWith(shared: readonly ToolSchema[] | undefined): readonly ToolSchema[] {
    if (this.#shared === shared) return this.#all
    const own = this.toolkit.schemas()
    const taken = shared?.find(({ name }) => this.toolkit.get(name))
    if (taken) throw clash(taken.name)
    this.#shared = shared
    this.#all = shared ? [...shared, ...own] : own
    return this.#all
  }
}

const clash = (name: string): Error =>
  agentError(
    "name_clash",
    `The agent needs the tool name "${name}" for itself: register that tool of its toolkit under another name.`,
  )
