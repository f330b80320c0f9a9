import { checkNames, checkValue, namesOf } from "../check-options.ts"
import { mcpError } from "../error.ts"
import type { McpListenOptions } from "./http/listen.ts"
import type { McpHttpOptions } from "./http/mcp-http-options.ts"
import type { McpServerOptions } from "./mcp-server.ts"

const serverNames = namesOf<McpServerOptions>({
  name: true,
  version: true,
  title: true,
  instructions: true,
  toolkit: true,
  prompts: true,
  resources: true,
  approval: true,
  context: true,
  pageSize: true,
})
const http: Record<keyof McpHttpOptions, true> = {
  token: true,
  allowedHosts: true,
  allowedOrigins: true,
  stateless: true,
  maxBodyBytes: true,
  maxSessions: true,
  sessionIdleMs: true,
  retryMs: true,
  resumeMs: true,
}
const httpNames = namesOf<McpHttpOptions>(http)
const listenNames = namesOf<McpListenOptions>({ ...http, port: true, host: true, path: true })
const example = 'new McpServer({ name: "sums", version: "1.0.0", toolkit: new Toolkit({ tools }) })'

/** Throws `invalid_argument` for options that do not make a server. */
export function checkServer(options: McpServerOptions): void {
  if (typeof options === "object" && options !== null && "tools" in options) {
    throw mcpError("invalid_argument", `An McpServer has no tools but a toolkit: ${example}.`)
  }
  checkNames("McpServer", options, serverNames, example)
  const { name, version, toolkit, prompts, resources } = options
  for (const [option, value] of Object.entries({ name, version })) {
    if (typeof value === "string" && value !== "") continue
    throw mcpError("invalid_argument", `An McpServer needs a ${option}, as a text: ${example}.`)
  }
  if (typeof toolkit?.execute !== "function" || typeof toolkit.onChange !== "function") {
    throw mcpError("invalid_argument", `The McpServer "${name}" needs a toolkit: ${example}.`)
  }
  checkValue("McpServer", "prompts", prompts, Array.isArray(prompts), "a list")
  checkValue("McpServer", "resources", resources, Array.isArray(resources), "a list")
}

/** Throws `invalid_argument` for options that `httpHandler` does not have. */
export function checkHandler(options: McpHttpOptions): void {
  checkNames("httpHandler()", options, httpNames, 'httpHandler({ token: "…" })')
}

/** Throws `invalid_argument` for options of `listen` that do not exist or name no place. */
export function checkListen(options: McpListenOptions): void {
  checkNames("listen()", options, listenNames, "listen({ port: 8080 })")
  const { port, host, path } = options
  const isPort = Number.isInteger(port) && Number(port) >= 0 && Number(port) <= 65_535
  checkValue("listen()", "port", port, isPort, "a whole number from 0 (any free one) to 65535")
  checkValue("listen()", "host", host, typeof host === "string" && host !== "", "an address of this machine")
  checkValue("listen()", "path", path, typeof path === "string" && path.startsWith("/"), "a path that begins with /")
}
