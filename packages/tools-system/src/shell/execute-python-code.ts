import { resolve } from "node:path"
import { type Tool, tool } from "@agentscope-ts/tool"
import { systemError } from "../error.ts"
import { checkNames, checkOption, isEnvironment, isPath } from "../check-options.ts"
import { commandEnvironment } from "../process/environment.ts"
import { findProgram } from "../process/find-program.ts"
import { streamProcess } from "../process/stream-process.ts"
import { longestMs } from "./execute-shell-command.ts"
import { type ShellResult, shellResponse } from "./shell-result.ts"

/** The options of {@link executePythonCode}. */
export interface PythonOptions {
  /** The folder that the code starts in, where its imports are looked for too; this program's own unless given. */
  cwd?: string | undefined
  /** Variables that the code gets beside this program's environment, from which credentials are left out. */
  env?: Record<string, string> | undefined
}

const graceMs = 10_000
const maxOutputBytes = 40_000

function needPython(): string {
  const file = findProgram(process.platform === "win32" ? ["python3", "python"] : ["python3"])
  if (file !== undefined) return file
  throw systemError(
    "python_missing",
    "There is no python3 on PATH, so Python code cannot be run here. Install Python 3, or solve it without Python.",
  )
}

/**
 * `execute_python_code`: runs a Python program in a new `python3`, which reads it from its input, so that nothing is left on
 * the disk. What is not printed is not seen. Always asks for approval.
 */
export function executePythonCode(options: PythonOptions = {}): Tool<{ code: string; timeout?: number }, ShellResult> {
  const where = "executePythonCode()"
  checkNames(where, options, ["cwd", "env"])
  checkOption(where, "cwd", options.cwd, isPath(options.cwd), "the path of a folder")
  checkOption(where, "env", options.env, isEnvironment(options.env), "an object of variables")
  return tool({
    name: "execute_python_code",
    description:
      "Run Python code in a new interpreter and return its return code, stdout and stderr. Print what you want to see.",
    input: {
      type: "object",
      properties: {
        code: { type: "string", description: "The Python code to run." },
        timeout: {
          type: "number",
          exclusiveMinimum: 0,
          maximum: longestMs / 1000,
          description: "The most seconds that it may run, 300 if not given, 600 at most.",
        },
      },
      required: ["code"],
    },
    effects: "once",
    concurrencySafe: false,
    needsApproval: true,
    timeoutMs: longestMs + graceMs,
    async *execute({ code, timeout = 300 }: { code: string; timeout?: number }, { signal }) {
      const timeoutMs = timeout * 1000
      const outcome = yield* streamProcess({
        file: needPython(),
        args: ["-u", "-"],
        cwd: resolve(options.cwd ?? "."),
        env: { ...commandEnvironment(options.env), PYTHONIOENCODING: "utf-8", PYTHONUTF8: "1" },
        input: code,
        timeoutMs,
        maxOutputBytes,
        signal,
      })
      return shellResponse(outcome, "code", timeoutMs)
    },
  }) as unknown as Tool<{ code: string; timeout?: number }, ShellResult> // a response that a generator returns is unwrapped, which its type does not say
}
