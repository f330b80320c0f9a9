import type { Validate } from "@agentscope-ts/model"
import { Collector } from "./collector.ts"
import { issueText } from "./invalid-input.ts"
import { codeValueOf } from "./output.ts"

/** What is wrong with the value of a tool that says what its value is like. */
export function misfit(value: unknown, validate: Validate): string | undefined {
  const own = value instanceof Collector ? value.value : codeValueOf(value)
  if (own === undefined) return "there is no value"
  const checked = validate(own)
  return checked.ok ? undefined : issueText(checked.issues)
}
