import { didYouMean } from "@agentscope-ts/message"
import { toolError } from "../error.ts"
import { failureText } from "../execution/json-text.ts"
import type { AnyTool } from "../define/definition.ts"

/** Something that offers tools, and has to be asked for them: an MCP client, a sandbox. */
export interface ToolSource {
  readonly name: string
  /** Connects if it has to; rejects when it cannot. */
  listTools(): Promise<readonly AnyTool[]>
  /**
   * Takes a listener to call after the list of tools has changed; what it returns forgets the listener. A toolkit lists the
   * source again then, before the next model call.
   */
  onToolsChanged?(listener: () => void): () => void
}

/** Throws `invalid_argument` for what is no source. */
export function checkSource(value: unknown): void {
  const { name, onToolsChanged } = Object(value) as Partial<Record<keyof ToolSource, unknown>>
  const isSource = isToolSource(value) && typeof name === "string" && name !== ""
  if (isSource && (onToolsChanged === undefined || typeof onToolsChanged === "function")) return
  throw toolError("invalid_argument", "A source of tools, such as an MCP client, has a name and listTools().")
}

/** Whether a value is a source, and no tool. */
export function isToolSource(value: unknown): value is ToolSource {
  return typeof value === "object" && value !== null && "listTools" in value && typeof value.listTools === "function"
}

/** The tools of a source; throws `source_failed`, naming it. */
export async function toolsFrom(source: ToolSource): Promise<readonly AnyTool[]> {
  let tools: unknown
  try {
    tools = await source.listTools()
  } catch (cause) {
    throw sourceFailed(source, cause)
  }
  if (Array.isArray(tools) && tools.every((tool) => typeof tool === "object" && tool !== null)) {
    return tools as readonly AnyTool[]
  }
  throw sourceFailed(source, "listTools() gave no list of tools")
}

/** The error of a source whose tools could not be had. */
export function sourceFailed({ name }: ToolSource, cause: unknown): Error {
  const message = `The tools of "${name}" could not be listed: ${failureText(cause)}`
  return toolError("source_failed", message, { cause, details: { source: name } })
}

/**
 * The tools that `enable` names (all, without it) and `disable` does not; throws `unknown_tool` for names that are not there,
 * unless the source has been listed before: then they may have gone.
 */
export function chosenTools(
  source: string,
  tools: readonly AnyTool[],
  enable: readonly string[] | undefined,
  disable: readonly string[] | undefined,
  again = false,
): readonly AnyTool[] {
  const names = tools.map((tool) => tool.name)
  for (const name of [...(enable ?? []), ...(disable ?? [])]) {
    if (again || names.includes(name)) continue
    const message = `"${source}" has no tool "${name}" to enable or disable.${didYouMean(name, names)} Its tools: ${names.join(", ")}.`
    throw toolError("unknown_tool", message)
  }
  const both = enable?.find((name) => disable?.includes(name))
  if (both !== undefined) {
    throw toolError("invalid_argument", `The tool "${both}" of "${source}" is both enabled and disabled: choose one.`)
  }
  return tools.filter(({ name }) => (enable?.includes(name) ?? true) && !disable?.includes(name))
}
