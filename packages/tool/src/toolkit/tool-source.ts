import { didYouMean } from "@agentscope-ts/message"
import { toolError } from "../error.ts"
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

/** Whether a value is a source, and no tool. */
export function isToolSource(value: object): value is ToolSource {
  return "listTools" in value && typeof value.listTools === "function"
}

/** The tools of a source; throws `source_failed`, naming it. */
export async function toolsFrom(source: ToolSource): Promise<readonly AnyTool[]> {
  try {
    return await source.listTools()
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw toolError("source_failed", `The tools of "${source.name}" could not be listed: ${why}`, {
      cause,
      details: { source: source.name },
    })
  }
}

/** The tools that `enable` names (all, without it) and `disable` does not; throws `unknown_tool` for names that are not there. */
export function chosenTools(
  source: string,
  tools: readonly AnyTool[],
  enable: readonly string[] | undefined,
  disable: readonly string[] | undefined,
): readonly AnyTool[] {
  const names = tools.map((tool) => tool.name)
  for (const name of [...(enable ?? []), ...(disable ?? [])]) {
    if (names.includes(name)) continue
    const message = `"${source}" has no tool "${name}" to enable or disable.${didYouMean(name, names)} Its tools: ${names.join(", ")}.`
    throw toolError("unknown_tool", message)
  }
  const both = enable?.find((name) => disable?.includes(name))
  if (both !== undefined) {
    throw toolError("invalid_argument", `The tool "${both}" of "${source}" is both enabled and disabled: choose one.`)
  }
  return tools.filter(({ name }) => (enable?.includes(name) ?? true) && !disable?.includes(name))
}
