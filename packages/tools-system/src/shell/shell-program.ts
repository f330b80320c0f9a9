import { systemError } from "../error.ts"
import { findProgram } from "../process/find-program.ts"
import { baseName } from "./words.ts"

/** The shell that runs commands. */
export interface ShellProgram {
  readonly file: string
  readonly bash: boolean
}

/** bash, else sh; `undefined` where PATH has neither. */
export function findShell(): ShellProgram | undefined {
  const file = findProgram(["bash", "sh"])
  return file === undefined ? undefined : { file, bash: /^bash(?:\.exe)?$/.test(baseName(file.replaceAll("\\", "/"))) }
}

/** The shell, or `shell_missing`. */
export function needShell(): ShellProgram {
  const shell = findShell()
  if (shell !== undefined) return shell
  throw systemError(
    "shell_missing",
    "There is neither bash nor sh on PATH. Install bash (on Windows: Git Bash) to run commands.",
  )
}
