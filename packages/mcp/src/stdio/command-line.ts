import { existsSync } from "node:fs"
import { win32 } from "node:path"
import { mcpError } from "../error.ts"

/** What is handed to `spawn`. */
export interface CommandLine {
  readonly command: string
  readonly args: readonly string[]
  /** The arguments are escaped already. */
  readonly windowsVerbatimArguments: boolean
}

/** Where a command is looked for. */
export interface CommandPlace {
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string | undefined
  readonly platform: NodeJS.Platform
  readonly exists: (file: string) => boolean
}

/**
 * How a command is started. On Windows `npx`, `uvx` and the like are batch files, which Node does not start by name
 * (ENOENT) and refuses without a shell (EINVAL): they go through `cmd.exe`, each argument quoted and escaped twice, as
 * `cmd.exe` reads it once and the batch file again. Programs are started directly. Throws `invalid_argument` for arguments
 * that cannot be escaped.
 */
export function commandLine(command: string, args: readonly string[], place: CommandPlace): CommandLine {
  const bad = [command, ...args].find((part) => part.includes("\0"))
  if (bad !== undefined) throw mcpError("invalid_argument", "The command line of the MCP server holds a NUL character.")
  if (place.platform !== "win32") return { command, args, windowsVerbatimArguments: false }
  const file = findOnWindows(command, place)
  if (file !== undefined && /\.(?:exe|com)$/i.test(file))
    return { command: file, args, windowsVerbatimArguments: false }
  if (file === undefined && /\s/.test(command.trim())) {
    const message = `The MCP server could not be started: there is no command "${command}". ${argumentsApart(command)}`
    throw mcpError("command_not_found", message)
  }
  const broken = [command, ...args].find((part) => /[\r\n]/.test(part))
  if (broken !== undefined) {
    throw mcpError("invalid_argument", `"${command}" is a batch file, and its arguments cannot hold line breaks.`)
  }
  const line = [escapeMeta(win32.normalize(file ?? command)), ...args.map(escapeArgument)].join(" ")
  const shell = valueOf(place.env, "COMSPEC") ?? "cmd.exe"
  return { command: shell, args: ["/d", "/s", "/c", `"${line}"`], windowsVerbatimArguments: true }
}

/** What to do about a command with its arguments in it. */
export function argumentsApart(command: string): string {
  const [first = "", ...rest] = command.trim().split(/\s+/)
  return `Arguments go in args: command: ${JSON.stringify(first)}, args: [${rest.map((arg) => JSON.stringify(arg)).join(", ")}].`
}

const valueOf = (env: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1]

/** The file that a command means on Windows, or undefined where there is none. */
function findOnWindows(command: string, { env, cwd, exists }: CommandPlace): string | undefined {
  const extensions = (valueOf(env, "PATHEXT") ?? ".COM;.EXE;.BAT;.CMD").split(";").filter(Boolean)
  const names = win32.extname(command) === "" ? [] : [command]
  names.push(...extensions.map((extension) => command + extension.toLowerCase()))
  const isPath = /[\\/]/.test(command)
  // never the working folder, which may hold anything: only the folders of PATH
  const folders = isPath ? [cwd ?? process.cwd()] : (valueOf(env, "PATH") ?? "").split(";").filter(Boolean)
  for (const folder of folders) {
    for (const name of names) {
      const file = win32.isAbsolute(name) ? name : win32.join(folder.replaceAll('"', ""), name)
      if (exists(file)) return file
    }
  }
  return undefined
}

const escapeMeta = (text: string): string => text.replaceAll(/[()\][%!^"`<>&|;, *?]/g, "^$&")

/** One argument, quoted for the program, then escaped for `cmd.exe` and for the batch file. */
function escapeArgument(arg: string): string {
  // backslashes count only before a quote, where each has to be doubled
  const quoted = `"${arg.replaceAll(/(\\*)"/g, '$1$1\\"').replace(/(\\*)$/, "$1$1")}"`
  return escapeMeta(escapeMeta(quoted))
}

/** The place of commands on this machine. */
export function commandPlace(env: Readonly<Record<string, string>>, cwd: string | undefined): CommandPlace {
  return { env, cwd, platform: process.platform, exists: existsSync }
}
