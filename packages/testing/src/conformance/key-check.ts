import { AgentScopeError, userMsg } from "@agentscope-ts/message"
import type { ConformanceCheck } from "./conformance-check.ts"
import { must, told } from "./expectation.ts"
import type { ModelConformanceSuite } from "./model-suite.ts"

/** A model without a key fails, at the latest when it is called, and says where it looked for one. */
export function keyChecks({ missingKey }: ModelConformanceSuite): ConformanceCheck[] {
  if (missingKey === undefined) return []
  const { variable, create } = missingKey
  const run = async (): Promise<void> => {
    const before = process.env[variable]
    delete process.env[variable]
    try {
      let error: unknown
      try {
        await create().generate({ messages: [userMsg("hello")] })
      } catch (caught) {
        error = caught
      }
      must(AgentScopeError.is(error, "missing_api_key"), `without ${variable} the error was ${told(error)}`)
      must(error.message.includes(variable), `the error does not name ${variable}: ${error.message}`)
    } finally {
      if (before !== undefined) process.env[variable] = before
    }
  }
  return [{ group: "a call", name: "without a key the error names its variable", timeoutMs: 20_000, run }]
}
