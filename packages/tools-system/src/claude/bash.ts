import { type Tool, tool, toolResponse } from "@agentscope-ts/tool"
import { longestMs, runCommand, type ShellOptions, shellRequest, shellRules } from "../shell/execute-shell-command.ts"
import { refusedResponse, type ShellResult, terminalResponse } from "../shell/shell-result.ts"
import type { ShellJobs } from "../shell/shell-jobs.ts"
import { ownerOf } from "./bash-jobs.ts"

/** The options of {@link bashTool}. */
export interface BashOptions extends ShellOptions {
  /** Where commands with `run_in_background` run; without it there is no such argument. */
  jobs?: ShellJobs | undefined
}

/** The input of {@link bashTool}; `timeout` in milliseconds. */
export type BashInput = { command: string; description?: string; timeout?: number; run_in_background?: boolean }

const maxOutput = 30_000

/**
 * `Bash`: runs a command line and gives its output as a terminal shows it, 30 000 characters at most. Otherwise like
 * `executeShellCommand`, also in what it asks approval for.
 */
export function bashTool(options: BashOptions = {}): Tool<BashInput, ShellResult> {
  const { isRefused, ...rules } = shellRules("bashTool()", options, ["jobs"])
  const { jobs } = options
  const background = {
    run_in_background: {
      type: "boolean",
      description:
        "Whether to start it and go on; BashOutput reads what it writes, KillShell ends it. False if not given.",
    },
  } as const
  return tool({
    name: "Bash",
    description:
      "Run a bash command and return its output. Prefer Read, Write, Edit, Glob and Grep to cat, sed, find and grep. Each command starts in the same folder with the same variables; it reads no input, and processes it leaves in the background end with it.",
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
        // absent without a holder; where it is, it is of this type
        ...((jobs === undefined ? {} : background) as typeof background),
      },
      required: ["command"],
    },
    ...rules,
    async *execute({ command, timeout = 120_000, run_in_background = false }: BashInput, context) {
      if (isRefused(context)) return refusedResponse()
      if (run_in_background && jobs !== undefined) {
        const id = jobs.start(command, ownerOf(context), shellRequest(command, options))
        const structured = { returncode: 0, stdout: id, stderr: "", timedOut: false }
        return toolResponse(`The command runs in the background as ${id}. Read its output with BashOutput.`, {
          structured,
        })
      }
      return terminalResponse(yield* runCommand(command, options, timeout, maxOutput / 2, context), timeout)
    },
  }) as unknown as Tool<BashInput, ShellResult> // a response that a generator returns is unwrapped, which its type does not say
}
