import { resolve } from "node:path"
import { type Tool, type ToolContext, tool } from "@agentscope-ts/tool"
import { checkNames, checkOption, isEnvironment, isPath } from "../check-options.ts"
import { commandEnvironment } from "../process/environment.ts"
import { OutputFile } from "../process/output-file.ts"
import { streamProcess } from "../process/stream-process.ts"
import { ShellApproval } from "./shell-approval.ts"
import { needShell } from "./shell-program.ts"
import { type CommandOutcome, refusedResponse, type ShellResult, shellResponse } from "./shell-result.ts"

/** The input of {@link executeShellCommand}. */
export type ShellInput = {
  command: string
  /** Seconds; 300 unless given, 600 at most. */
  timeout?: number
}

/** The options of the tools that run shell commands. */
export interface ShellOptions {
  /** The folder that commands start in; this program's own unless given. It does not confine them. */
  cwd?: string | undefined
  /** Commands that run unasked: names (`git`), or rules (`git log:*`, `npm run *`, `make test`). */
  allow?: readonly string[] | undefined
  /** Asks for commands that only read, too. Default false. */
  askAlways?: boolean | undefined
  /**
   * Asked about commands that would need a person's word, in the place of the person: `true` runs the command, anything else
   * and any error refuses it. Without it the call waits for an approval, as every tool's does.
   */
  approve?: ((command: string, context: ToolContext) => boolean | Promise<boolean>) | undefined
  /**
   * A folder for the whole output (100 MiB of it at most) of commands that write more than an answer holds; the answer then
   * names the file. Nobody deletes it. Without it the middle is lost.
   */
  outputFolder?: string | undefined
  /** Variables that commands get beside this program's environment, from which credentials are left out. */
  env?: Record<string, string> | undefined
}

/** The longest a command may run: the tools' own limit comes first, so that its output is kept. */
export const longestMs = 600_000
const graceMs = 10_000
// of each output: both together stay below what a toolkit lets through
const maxOutputBytes = 40_000

const optionNames: readonly (keyof ShellOptions)[] = ["cwd", "allow", "askAlways", "approve", "outputFolder", "env"]

function checkShellOptions(where: string, options: ShellOptions, more: readonly string[]): void {
  checkNames(where, options, [...optionNames, ...more])
  const { cwd, allow, askAlways, approve, outputFolder, env } = options
  const isList = Array.isArray(allow) && allow.every((rule) => typeof rule === "string")
  checkOption(where, "cwd", cwd, isPath(cwd), "the path of a folder")
  checkOption(where, "allow", allow, isList, "a list of command rules")
  checkOption(where, "askAlways", askAlways, typeof askAlways === "boolean", "true or false")
  checkOption(where, "approve", approve, typeof approve === "function", "a function")
  checkOption(where, "outputFolder", outputFolder, isPath(outputFolder), "the path of a folder")
  checkOption(where, "env", env, isEnvironment(env), "an object of variables")
}

/**
 * The approval of a shell tool, in the form that `tool()` takes, and whether `approve` refused a call. Throws
 * `invalid_argument` for options that are none.
 */
export function shellRules(where: string, options: ShellOptions, more: readonly string[] = []) {
  checkShellOptions(where, options, more)
  const approval = new ShellApproval(options)
  const refused = new WeakSet<ToolContext>()
  const { approve } = options
  const needsApproval = (input: { command: string }, context: ToolContext): boolean | Promise<boolean> => {
    const needed = approval.needsApproval(input)
    if (!needed || approve === undefined) return needed
    return isApproved(approve, input.command, context).then((yes) => {
      if (!yes) refused.add(context)
      return false
    })
  }
  return {
    isRefused: (context: ToolContext) => refused.has(context),
    needsApproval,
    rules: {
      match: (pattern: string, input: { command: string }, allows: boolean) => approval.match(pattern, input, allows),
      covers: (patterns: readonly string[], input: { command: string }) => approval.covers(patterns, input),
      suggest: (input: { command: string }) => approval.suggest(input),
    },
    effects: "once",
    concurrencySafe: false,
    timeoutMs: longestMs + graceMs,
  } as const
}

async function isApproved(
  approve: NonNullable<ShellOptions["approve"]>,
  command: string,
  context: ToolContext,
): Promise<boolean> {
  try {
    const said: unknown = await approve(command, context)
    return said === true
  } catch {
    return false // who cannot answer has not said yes
  }
}

/** How a command line is run in the shell; throws `shell_missing`. */
export function shellRequest(command: string, options: ShellOptions) {
  return {
    file: needShell().file,
    args: ["-c", command],
    cwd: resolve(options.cwd ?? "."),
    env: commandEnvironment(options.env),
  }
}

/** Runs a command line in the shell and yields its output. */
export async function* runCommand(
  command: string,
  options: ShellOptions,
  timeoutMs: number,
  maxOutputBytes: number,
  { signal }: ToolContext,
): AsyncGenerator<string, CommandOutcome> {
  const file = options.outputFolder === undefined ? undefined : new OutputFile(options.outputFolder)
  const onBytes = (chunk: Buffer): void => file?.write(chunk)
  try {
    const request = { ...shellRequest(command, options), timeoutMs, maxOutputBytes, signal, onBytes }
    const outcome = yield* streamProcess(request)
    return { ...outcome, note: file?.close(outcome.isCut) }
  } finally {
    file?.close(false)
  }
}

/**
 * `execute_shell_command`: runs a command line in bash (or sh). Everything it starts ends with it; each of its outputs is
 * kept up to 40 000 bytes, start and end. Asks for approval unless the command is proven to only read inside `cwd`, or allowed.
 */
export function executeShellCommand(options: ShellOptions = {}): Tool<ShellInput, ShellResult> {
  const { isRefused, ...rules } = shellRules("executeShellCommand()", options)
  return tool({
    name: "execute_shell_command",
    description:
      "Run a shell command and return its return code, stdout and stderr. The command reads no input. Processes it leaves in the background end with it.",
    input: {
      type: "object",
      properties: {
        command: { type: "string", minLength: 1, description: "The command line to run." },
        timeout: {
          type: "number",
          exclusiveMinimum: 0,
          maximum: longestMs / 1000,
          description: "The most seconds that it may run, 300 if not given, 600 at most.",
        },
      },
      required: ["command"],
    },
    ...rules,
    async *execute({ command, timeout = 300 }: ShellInput, context) {
      if (isRefused(context)) return refusedResponse()
      const timeoutMs = timeout * 1000
      return shellResponse(
        yield* runCommand(command, options, timeoutMs, maxOutputBytes, context),
        "command",
        timeoutMs,
      )
    },
  }) as unknown as Tool<ShellInput, ShellResult> // a response that a generator returns is unwrapped, which its type does not say
}
