import { type Tool, tool } from "@agentscope-ts/tool"
import { longestMs, runCommand, type ShellOptions, shellRules } from "../shell/execute-shell-command.ts"
import { ShellApproval } from "../shell/shell-approval.ts"
import { type ShellResult, terminalResponse } from "../shell/shell-result.ts"

/** The input of {@link bashTool}; `timeout` in milliseconds. */
export type BashInput = { command: string; description?: string; timeout?: number }

const maxOutput = 30_000

/**
 * `Bash`: runs a command line and gives its output as a terminal shows it, 30 000 characters at most. Otherwise like
 * `executeShellCommand`, also in what it asks approval for.
 */
export function bashTool(options: ShellOptions = {}): Tool<BashInput, ShellResult> {
  const approval = new ShellApproval(options)
  return tool({
    name: "Bash",
    description:
      "Run a bash command and return its output. Prefer Read, Write, Edit, Glob and Grep to cat, sed, find and grep. Each command starts in the same folder; it reads no input, and processes it leaves in the background end with it.",
    input: {
      type: "object",
      properties: {
        command: { type: "string", minLength: 1, description: "The command line to run." },
        description: { type: "string", description: "What the command does, in five to ten words." },
        timeout: {
          type: "integer",
          minimum: 1,
          maximum: longestMs,
          description: `The most milliseconds that it may run, 120000 if not given, ${longestMs} at most.`,
        },
      },
      required: ["command"],
    },
    ...shellRules(approval),
    async *execute({ command, timeout = 120_000 }: BashInput, context) {
      return terminalResponse(yield* runCommand(command, options, timeout, maxOutput / 2, context), timeout)
    },
  }) as unknown as Tool<BashInput, ShellResult> // a response that a generator returns is unwrapped, which its type does not say
}
