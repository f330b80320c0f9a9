import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { JSONRPCMessageSchema, ResultSchema } from "@modelcontextprotocol/sdk/types.js"
import { AgentScopeError } from "@agentscope-ts/message"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { fromSdk } from "./sdk-error.ts"

const of = (error: unknown) => fromSdk(error, "notes", "tools/call", undefined)

describe("errors of the SDK", () => {
  test("keep to a length, whatever page a proxy sends", () => {
    const page = new StreamableHTTPError(502, `Error POSTing to endpoint: ${"<p>😀</p>".repeat(100_000)}`)
    const error = of(page)
    expect(error).toMatchObject({ code: "http_error", retryable: true, cause: page })
    expect(error.message).toMatch(/^The MCP server "notes" answered tools\/call with HTTP 502: <p>/)
    expect(error.message.length).toBeLessThan(1200)
    expect(error.message.isWellFormed()).toBe(true)
  })

  test.each([
    [400, false],
    [404, false],
    [429, true],
    [503, true],
  ])("HTTP %i can be tried again: %s", (status, retryable) => {
    expect(of(new StreamableHTTPError(status, "no"))).toMatchObject({ code: "http_error", retryable })
  })

  test("say in a line what an answer lacks", () => {
    const lacking = ResultSchema.extend({ tools: z.array(z.string()) }).safeParse({ tools: [1] }).error
    expect(of(lacking).message).toContain("breaks the protocol: tools.0: ")
    expect(of(JSONRPCMessageSchema.safeParse({ id: 1 }).error).message).toMatch(/: it is no JSON-RPC message$/)
  })

  test("say that the server could not be reached only where that is so", () => {
    const unreached = of(new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED") }))
    expect(unreached.message).toContain("could not be reached for tools/call: fetch failed (connect ECONNREFUSED)")
    const other = of(new RangeError("Server's protocol version is not supported: 2031-01-01"))
    expect(other.message).toBe(
      'The request tools/call to the MCP server "notes" failed: Server\'s protocol version is not supported: 2031-01-01',
    )
    expect(AgentScopeError.is(other, "connection_closed")).toBe(true)
  })
})
