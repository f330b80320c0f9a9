import type { SchemaIssue } from "@agentscope-ts/model"

/** Validation issues as one line: `city: expected string; …`. */
export function issueText(issues: readonly SchemaIssue[]): string {
  return issues
    .map(({ path, message }) => (path === "" ? message : `${path}: ${message}`).replace(/\.+$/, ""))
    .join("; ")
}

/** What a model or a developer reads of an input that did not fit. */
export function invalidInput(tool: string, issues: readonly SchemaIssue[]): string {
  return `Invalid arguments for the tool "${tool}": ${issueText(issues)}. Correct them and call the tool again.`
}
