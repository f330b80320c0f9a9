import type { McpLogLevel } from "../mcp-options.ts"

const levels: readonly McpLogLevel[] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]

/** Whether a message of `level` is sent to a client that wants `least` and above. */
export function wantsLevel(least: McpLogLevel, level: McpLogLevel): boolean {
  return levels.indexOf(level) >= levels.indexOf(least)
}
