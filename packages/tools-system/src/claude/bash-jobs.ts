import { type Tool, type ToolContext, type ToolResponse, tool, toolResponse } from "@agentscope-ts/tool"
import type { JobReport, ShellJobs } from "../shell/shell-jobs.ts"

/** Whose background commands a call may see. */
export function ownerOf(context: ToolContext): string {
  return context.agent?.id ?? ""
}

/** What a background command did, for programs; the model sees the same as text. */
export type BashJob = { status: "running" | "ended" | "killed"; returncode?: number; output: string }

function jobResponse({ status, returncode, output }: JobReport): ToolResponse<BashJob> {
  const code = returncode === undefined ? "" : `<returncode>${returncode}</returncode>`
  const text = `<status>${status}</status>${code}<output>${output}</output>`
  return toolResponse(text, { structured: { status, output, ...(returncode !== undefined && { returncode }) } })
}

/** `BashOutput`: what a command that `Bash` runs in the background wrote since the last look, and whether it still runs. */
export function bashOutputTool(jobs: ShellJobs): Tool<{ bash_id: string }, BashJob> {
  return tool({
    name: "BashOutput",
    description:
      "Get what a background command wrote since the last look, and whether it still runs. Both of its outputs come together; of much output the start and the end.",
    input: {
      type: "object",
      properties: { bash_id: { type: "string", description: "The id that Bash gave when it started the command." } },
      required: ["bash_id"],
    },
    effects: "none",
    execute: ({ bash_id }, context) => jobResponse(jobs.read(bash_id, ownerOf(context))),
  })
}

/** `KillShell`: ends a command that `Bash` runs in the background, with everything that it started. */
export function killShellTool(jobs: ShellJobs): Tool<{ shell_id: string }, BashJob> {
  return tool({
    name: "KillShell",
    description: "End a background command and everything it started.",
    input: {
      type: "object",
      properties: { shell_id: { type: "string", description: "The id that Bash gave when it started the command." } },
      required: ["shell_id"],
    },
    effects: "idempotent",
    execute: async ({ shell_id }, context) => jobResponse(await jobs.kill(shell_id, ownerOf(context))),
  })
}
