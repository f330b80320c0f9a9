import { AgentScopeError, didYouMean, type JsonObject, type JsonValue, type Msg } from "@agentscope-ts/message"
import { type Validate, validatorOf } from "@agentscope-ts/model"
import type { ToolContext, ToolSource } from "@agentscope-ts/tool"
import { checkClient } from "./check-options.ts"
import { mcpError } from "./error.ts"
import { listPages } from "./list-pages.ts"
import type { McpEvent, McpOptions } from "./mcp-options.ts"
import { type McpPrompt, promptMessages } from "./prompts/prompt.ts"
import { promptTools } from "./prompts/prompt-tools.ts"
import type { McpResource, McpResourceContents, McpResourceTemplate } from "./resources/resource.ts"
import { resourceTools } from "./resources/resource-tools.ts"
import { asObject, type McpProgress, type Session } from "./sdk/session.ts"
import { openUrls } from "./requests/url-elicitations.ts"
import { callAsTask } from "./tools/task-call.ts"
import { mcpTool, type McpTool, tolerant } from "./tools/mcp-tool.ts"
import { type McpToolDefinition, toolDefinition } from "./tools/tool-definition.ts"
import { type McpToolResponse, toolResult } from "./tools/tool-result.ts"

/** The terms of one request to a server. */
export interface McpCallOptions {
  /** Takes the request back: the server is told, and the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** The terms of one call of a tool. */
export interface McpToolCallOptions extends McpCallOptions {
  /** Told of the server's progress. Each report gives the call time anew. */
  readonly onProgress?: ((progress: McpProgress) => void) | undefined
}

/** What a completion is asked for: an argument of a prompt, or a variable in the template of a resource's address. */
export type McpCompletionTarget = { readonly prompt: string } | { readonly uriTemplate: string }

/** What a server proposes for the value of an argument. */
export interface McpCompletion {
  readonly values: readonly string[]
  readonly total?: number
  readonly hasMore?: boolean
}

/**
 * A client of one MCP server, and the source of its tools for a toolkit. Everything here connects when it has to. Errors
 * are those of {@link McpErrorCode}.
 */
export abstract class McpClient implements ToolSource {
  readonly name: string
  readonly #options: McpOptions
  /** Checks of the values of tools, by the schema as it came. */
  readonly #outputChecks = new Map<string, Validate>()
  /** Tools that run in the background only. */
  readonly #tasks = new Set<string>()

  constructor(options: McpOptions) {
    checkClient(options)
    this.name = options.name
    this.#options = options
  }

  /** Hands a connection to `work`, which makes one request that may be made again where it did not arrive. */
  protected abstract use<T>(work: (session: Session) => Promise<T>, signal: AbortSignal | undefined): Promise<T>

  protected report(event: McpEvent): void {
    this.#options.onEvent?.(event)
  }

  async #list<T>(method: string, key: string, { signal }: McpCallOptions): Promise<readonly T[]> {
    const listing = { method, key, report: (event: McpEvent) => this.report(event) }
    return (await this.use((session) => listPages(session, listing, { signal }), signal)) as readonly T[]
  }

  /** All tools of the server, as native tools: names by `toolNames`, schemas as they came. An entry without a name is left out. */
  async listTools(options: McpCallOptions = {}): Promise<readonly McpTool[]> {
    const tools = new Map<string, McpTool>()
    for (const entry of await this.#list<JsonValue>("tools/list", "tools", options)) {
      const definition = toolDefinition(this.name, entry)
      if (definition === undefined || tools.has(definition.name)) {
        const what = definition === undefined ? "a tool without a name" : `the tool "${definition.name}" twice`
        this.report({ type: "ignored", text: `tools/list has ${what}.` })
        continue
      }
      this.#remember(definition)
      tools.set(
        definition.name,
        mcpTool(definition, this.#options, (called, input, ctx) => this.#run(called, input, ctx)),
      )
    }
    return [...tools.values()]
  }

  #remember({ name, outputSchema, runsAsTask }: McpToolDefinition): void {
    if (runsAsTask) this.#tasks.add(name)
    else this.#tasks.delete(name)
    if (outputSchema === undefined) this.#outputChecks.delete(name)
    else this.#outputChecks.set(name, tolerant(validatorOf(outputSchema)))
  }

  /** A tool by its name, the server's own or the one that models see; throws `unknown_tool`. */
  async getTool(name: string, options: McpCallOptions = {}): Promise<McpTool> {
    const tools = await this.listTools(options)
    const tool = tools.find((one) => one.mcp.name === name) ?? tools.find((one) => one.name === name)
    if (tool) return tool
    const names = tools.map((one) => one.mcp.name)
    const all = names.length > 0 ? ` Its tools: ${names.join(", ")}.` : ""
    const message = `The MCP server "${this.name}" has no tool "${name}".${didYouMean(name, names)}${all}`
    throw mcpError("unknown_tool", message)
  }

  #run(definition: McpToolDefinition, input: JsonObject, ctx: ToolContext | undefined): Promise<McpToolResponse> {
    const onProgress = ctx && ((progress: McpProgress) => ctx.emit({ ...progress }))
    return this.callTool(definition.name, input, { signal: ctx?.signal, onProgress })
  }

  /**
   * Calls a tool by the server's own name for it. A failure that the tool reports is a response of state `error`; the value
   * is checked by the tool's output schema where the tools have been listed (`invalid_output`).
   */
  async callTool(name: string, input: JsonObject, options: McpToolCallOptions = {}): Promise<McpToolResponse> {
    const params = { name, arguments: input }
    const call = (): Promise<JsonObject> =>
      this.use((session) => {
        if (this.#tasks.has(name)) return callAsTask(session, params, options)
        return session.request("tools/call", params, options)
      }, options.signal)
    let answer: JsonObject
    try {
      answer = await call()
    } catch (error) {
      // the server asks for pages to be opened first, and did nothing so far
      if (!(await openUrls(error, this.#options, options.signal))) throw error
      answer = await call()
    }
    return toolResult(answer, {
      server: this.name,
      tool: name,
      trusted: this.#options.trusted ?? false,
      validateOutput: this.#outputChecks.get(name),
    })
  }

  /** What the server lets be read. */
  listResources(options: McpCallOptions = {}): Promise<readonly McpResource[]> {
    return this.#list("resources/list", "resources", options)
  }

  /** The templates of the addresses of what can be read. */
  listResourceTemplates(options: McpCallOptions = {}): Promise<readonly McpResourceTemplate[]> {
    return this.#list("resources/templates/list", "resourceTemplates", options)
  }

  /** What a resource holds: one or several texts or data. */
  async readResource(uri: string, { signal }: McpCallOptions = {}): Promise<readonly McpResourceContents[]> {
    const { contents } = await this.use((session) => session.request("resources/read", { uri }, { signal }), signal)
    return Array.isArray(contents) ? (contents as McpResourceContents[]) : []
  }

  /** Tools by which a model lists and reads resources: `SERVER_list_resources`, `SERVER_read_resource`. */
  resourceTools(): readonly McpTool[] {
    return resourceTools(this, this.#options)
  }

  /** The prompts that the server offers. */
  listPrompts(options: McpCallOptions = {}): Promise<readonly McpPrompt[]> {
    return this.#list("prompts/list", "prompts", options)
  }

  /** The messages of a prompt; throws `unknown_prompt`. */
  async getPrompt(
    name: string,
    args: Readonly<Record<string, string>> = {},
    options: McpCallOptions = {},
  ): Promise<readonly Msg[]> {
    const { signal } = options
    try {
      const params = { name, arguments: args }
      const answer = await this.use((session) => session.request("prompts/get", params, { signal }), signal)
      return promptMessages(answer, this.name, name)
    } catch (error) {
      if (AgentScopeError.is(error, "server_error")) await this.#checkPrompt(name, options, error)
      throw error
    }
  }

  async #checkPrompt(name: string, options: McpCallOptions, cause: unknown): Promise<void> {
    const names = (await this.listPrompts(options)).map((prompt) => prompt.name)
    if (names.includes(name)) return
    const message = `The MCP server "${this.name}" has no prompt "${name}".${didYouMean(name, names)}`
    throw mcpError("unknown_prompt", message, { cause })
  }

  /** One tool for each prompt, by which a model reads it. */
  promptTools(options: McpCallOptions = {}): Promise<readonly McpTool[]> {
    return promptTools(this, this.#options, options)
  }

  /** Proposals for the value of an argument that has been begun; `context` are the values of others. */
  async complete(
    target: McpCompletionTarget,
    argument: { readonly name: string; readonly value: string },
    options: McpCallOptions & { readonly context?: Readonly<Record<string, string>> | undefined } = {},
  ): Promise<McpCompletion> {
    const { signal, context } = options
    const ref =
      "prompt" in target
        ? { type: "ref/prompt", name: target.prompt }
        : { type: "ref/resource", uri: target.uriTemplate }
    const params = { ref, argument: { ...argument }, ...(context && { context: { arguments: context } }) }
    const answer = await this.use((session) => session.request("completion/complete", params, { signal }), signal)
    const { values, ...more } = asObject(answer["completion"])
    return { ...more, values: Array.isArray(values) ? (values as readonly string[]) : [] }
  }

  /** Whether the server answers. */
  async ping({ signal }: McpCallOptions = {}): Promise<void> {
    await this.use((session) => session.request("ping", {}, { signal }), signal)
  }
}
