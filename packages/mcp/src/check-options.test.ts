import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { Toolkit } from "@agentscope-ts/tool"
import { describe, expect, test } from "vitest"
import { HttpMcpClient } from "./http-mcp-client.ts"
import { McpServer } from "./server/mcp-server.ts"
import { StatelessMcpClient } from "./stateless-mcp-client.ts"
import { StdioMcpClient } from "./stdio-mcp-client.ts"

const stdio = (more: object) => () => new StdioMcpClient({ name: "x", command: "node", ...more })
const http = (more: object) => () => new HttpMcpClient({ name: "x", url: "http://127.0.0.1/mcp", ...more })
const stateless = (more: object) => () => new StatelessMcpClient({ name: "x", ...more } as never)
const toolkit = new Toolkit()
const server = (options: unknown) => () => new McpServer(options as never)
const whole = { name: "s", version: "1", toolkit }

describe("options are refused at once", () => {
  test.each<[string, () => unknown, RegExp]>([
    ["no options", () => new StdioMcpClient(undefined as never), /takes an object of options/],
    ["a misspelt time", stdio({ timeout: 5 }), /no option "timeout" of the MCP client "x". Did you mean "timeoutMs"/],
    ["a misspelt command", stdio({ comand: "x" }), /Did you mean "command"/],
    ["what is not there", stdio({ environmentVariables: {} }), /There are: name, .*env/],
    ["arguments in a text", stdio({ args: "-y s3cret" }), /args of the MCP client "x" has to be a list.*\["-y"/],
    ["a number as argument", stdio({ args: ["-p", 80] }), /args of/],
    ["a number as variable", stdio({ env: { PORT: 80 } }), /env of the MCP client "x" has to be an object of texts/],
    ["a url for a process", stdio({ url: "http://x" }), /use HttpMcpClient/],
    ["a time in words", stdio({ timeoutMs: "60" }), /timeoutMs 60: give milliseconds/],
    ["a listener that is none", stdio({ onEvent: "log" }), /onEvent of .* a function/],
    ["a misspelt header", http({ header: {} }), /Did you mean "headers"/],
    ["headers in a text", http({ headers: "Bearer s3cret" }), /headers of .* an object or a function/],
    ["an unknown transport", http({ transport: "http" }), /"streamable-http" or "sse"/],
    ["a command for a url", http({ command: "npx" }), /use StdioMcpClient/],
    ["nothing to connect to", stateless({}), /neither a url nor a command/],
    ["too much to connect to", stateless({ url: "http://x", command: "x" }), /both a url and a command/],
    ["a misspelt url", stateless({ ulr: "http://x" }), /Did you mean "url"/],
    ["a misspelt header of one request", stateless({ url: "http://x", header: {} }), /Did you mean "headers"/],
    ["a server of tools", server({ tools: [] }), /no tools but a toolkit: new McpServer/],
    ["a server of nothing", server(undefined), /McpServer takes an object of options: new/],
    ["a server without a name", server({ ...whole, name: undefined }), /needs a name/],
    ["a server without a version", server({ ...whole, version: 1 }), /needs a version, as a text/],
    ["a server without a toolkit", server({ name: "s", version: "1" }), /"s" needs a toolkit: new/],
    ["a server with a list for a toolkit", server({ ...whole, toolkit: [] }), /needs a toolkit/],
    ["a misspelt option of a server", server({ ...whole, prompt: [] }), /Did you mean "prompts"/],
    [
      "an option of a handler",
      () => new McpServer(whole).httpHandler({ tokens: "x" } as never),
      /Did you mean "token"/,
    ],
  ])("%s", (_what, make, message) => {
    expect(make).toThrow(expect.objectContaining({ code: "invalid_argument", message: expect.stringMatching(message) }))
    expect(make).not.toThrow("s3cret")
  })

  test("undefined is no option", () => {
    expect(stdio({ timeout: undefined, args: undefined, env: { A: undefined } })).not.toThrow()
  })

  test.each<[unknown, RegExp]>([
    [18_333, /listen\(\) takes an object of options: listen\({ port: 8080 }\)/],
    [{ port: 99_999 }, /port of listen\(\) has to be a whole number from 0 .* to 65535/],
    [{ port: "80" }, /port of/],
    [{ prot: 80 }, /Did you mean "port"/],
    [{ path: "mcp" }, /path that begins with/],
  ])("listen(%j)", async (options, message) => {
    await using made = new McpServer(whole)
    await expect(made.listen(options as never)).rejects.toMatchObject({
      code: "invalid_argument",
      message: expect.stringMatching(message),
    })
  })

  test("a port in use: says to choose another", async () => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve))
    try {
      await using made = new McpServer(whole)
      const { port } = other.address() as AddressInfo
      await expect(made.listen({ port })).rejects.toThrow(/in use: choose another, or 0/)
    } finally {
      other.close()
    }
  })
})
