import { nearestName } from "@agentscope-ts/message"
import { mcpError } from "./error.ts"
import type { HttpOptions, McpOptions, StdioOptions } from "./mcp-options.ts"

/** The names of an options type; a name too many or too few does not compile. */
export const namesOf = <T extends object>(names: Record<keyof T, true>): readonly string[] => Object.keys(names)

const common: Record<keyof McpOptions, true> = {
  name: true,
  timeoutMs: true,
  maxTimeoutMs: true,
  connectTimeoutMs: true,
  toolNames: true,
  trusted: true,
  roots: true,
  onElicitation: true,
  onUrlElicitation: true,
  sampling: true,
  onLog: true,
  onEvent: true,
}
const stdioNames = namesOf<StdioOptions>({ ...common, command: true, args: true, env: true, cwd: true })
const httpNames = namesOf<HttpOptions>({
  ...common,
  url: true,
  transport: true,
  headers: true,
  fetch: true,
  auth: true,
})

/** Throws `invalid_argument` for what is no object, and for options that do not exist: they would do nothing in silence. */
export function checkNames(where: string, options: unknown, names: readonly string[], example = ""): void {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw invalid(`${where} takes an object of options${example === "" ? "" : `: ${example}`}.`)
  }
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || names.includes(name)) continue
    const meant = nearestName(name, names)
    const hint = meant === undefined ? `There are: ${names.join(", ")}.` : `Did you mean "${meant}"?`
    throw invalid(`There is no option "${name}" of ${where}. ${hint}`)
  }
}

/** Throws `invalid_argument` for a value that is not what it should be, without showing it; `undefined` passes. */
export function checkValue(where: string, option: string, value: unknown, holds: boolean, expected: string): void {
  if (value !== undefined && !holds) throw invalid(`The option ${option} of ${where} has to be ${expected}.`)
}

const invalid = (message: string): Error => mcpError("invalid_argument", message)
const isText = (value: unknown): boolean => typeof value === "string"
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText)

/** Throws `invalid_argument` for options that make no sense for any client. */
export function checkClient(options: McpOptions): void {
  if (typeof options !== "object" || options === null) throw invalid("An MCP client takes an object of options.")
  const { name, timeoutMs, maxTimeoutMs, connectTimeoutMs, toolNames, roots } = options
  if (typeof name !== "string" || name === "") throw invalid("An MCP client needs a name.")
  for (const [option, value] of Object.entries({ timeoutMs, maxTimeoutMs, connectTimeoutMs })) {
    if (value === undefined || (typeof value === "number" && value > 0)) continue
    throw invalid(`The MCP client "${name}" has ${option} ${String(value)}: give milliseconds above 0.`)
  }
  const where = `the MCP client "${name}"`
  checkValue(where, "toolNames", toolNames, toolNames === "plain" || toolNames === "prefixed", '"plain" or "prefixed"')
  checkValue(where, "roots", roots, isTexts(roots), "a list of folders")
  for (const option of ["onElicitation", "onUrlElicitation", "onLog", "onEvent"] as const) {
    checkValue(where, option, options[option], typeof options[option] === "function", "a function")
  }
}

/** Throws `invalid_argument` for options that do not start a server. */
export function checkStdio(options: StdioOptions): void {
  const { name, command, args, env, cwd } = options
  const where = `the MCP client "${name}"`
  if ("url" in options) throw invalid(`A url is not an option of ${where}: use HttpMcpClient for servers over HTTP.`)
  checkNames(where, options, stdioNames)
  if (typeof command !== "string" || command === "") {
    throw invalid(`The MCP client "${name}" has no command to start its server with.`)
  }
  checkValue(where, "args", args, isTexts(args), 'a list with a text for each argument: args: ["-y", "some-server"]')
  checkValue(where, "cwd", cwd, isText(cwd), "the path of a folder")
  const isEnv =
    typeof env === "object" && env !== null && Object.values(env).every((value) => value === undefined || isText(value))
  checkValue(where, "env", env, isEnv && !Array.isArray(env), 'an object of texts: env: { TOKEN: "…" }')
}

/** Throws `invalid_argument` for options that do not reach a server over HTTP; its url is looked at elsewhere. */
export function checkHttp(options: HttpOptions): void {
  const { name, transport, headers, fetch } = options
  const where = `the MCP client "${name}"`
  if ("command" in options) throw invalid(`A command is not an option of ${where}: use StdioMcpClient for processes.`)
  checkNames(where, options, httpNames)
  const isTransport = transport === "streamable-http" || transport === "sse"
  checkValue(where, "transport", transport, isTransport, '"streamable-http" or "sse"')
  const isHeaders =
    typeof headers === "function" || (typeof headers === "object" && headers !== null && !Array.isArray(headers))
  checkValue(where, "headers", headers, isHeaders, 'an object or a function: headers: { authorization: "…" }')
  checkValue(where, "fetch", fetch, typeof fetch === "function", "a function")
}

/** Throws `invalid_argument` for options that are of neither kind of server, or of both. */
export function checkEither(options: StdioOptions | HttpOptions): void {
  const where = `the MCP client "${options.name}"`
  const [hasUrl, hasCommand] = ["url" in options, "command" in options]
  if (hasUrl && hasCommand) throw invalid(`The MCP client "${options.name}" has both a url and a command: give one.`)
  if (hasUrl) return checkHttp(options as HttpOptions)
  if (hasCommand) return checkStdio(options as StdioOptions)
  checkNames(where, options, [...new Set([...httpNames, ...stdioNames])])
  throw invalid(`The MCP client "${options.name}" has neither a url nor a command: give one.`)
}
