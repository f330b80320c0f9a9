import { stateError } from "../error.ts"

type Load = NodeJS.Process["getBuiltinModule"]

/** A Node built-in, loaded in the call that needs it; `undefined` where there is none. */
export const nodeBuiltin: (name: string) => unknown = (name) => globalThis.process?.getBuiltinModule?.(name)

/** The built-ins that files are kept with. @throws AgentScopeError `unsupported_runtime` where there are none. */
export function needFiles(): { fs: typeof import("node:fs/promises"); path: typeof import("node:path") } {
  const load = globalThis.process?.getBuiltinModule?.bind(process) as Load | undefined
  if (load === undefined) {
    const message = "JsonSessionStore keeps files, which this runtime has not: use another session store here."
    throw stateError("unsupported_runtime", message)
  }
  return { fs: load("node:fs/promises"), path: load("node:path") }
}
