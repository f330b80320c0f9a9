import { mem0Error } from "./mem0-error.ts"

/**
 * Loads mem0, which reads as it loads whether it may send usage figures to its makers: it may not, unless the variable
 * MEM0_TELEMETRY says otherwise.
 * @throws AgentScopeError `missing_dependency`.
 */
export async function loadMem0<M>(load: () => Promise<unknown>, packages: string): Promise<M> {
  const { env } = process
  const isSilenced = env["MEM0_TELEMETRY"] === undefined
  if (isSilenced) env["MEM0_TELEMETRY"] = "false"
  try {
    return (await load()) as M
  } catch (cause) {
    const message = `Mem0LongTermMemory needs packages that could not be loaded. Install them: npm install ${packages}`
    throw mem0Error("missing_dependency", message, { cause })
  } finally {
    if (isSilenced) delete env["MEM0_TELEMETRY"]
  }
}
