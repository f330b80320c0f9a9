import { replaceAmbient } from "@agentscope-ts/message"
import { afterEach, expect, it, vi } from "vitest"
import { FetchTransport } from "./fetch-transport.ts"
import { NodeTransport } from "./node-transport.ts"
import { transportOf } from "./transport.ts"

afterEach(() => vi.unstubAllGlobals())

it("is Node's own client, one for all", () => {
  expect(transportOf()).toBeInstanceOf(NodeTransport)
  expect(transportOf()).toBe(transportOf())
})

it("is the given fetch", () => {
  expect(transportOf(() => Promise.reject(new TypeError("unused")))).toBeInstanceOf(FetchTransport)
})

it.each([
  ["Bun", { versions: { node: "24.0.0", bun: "1.4.0" } }],
  ["Deno", { versions: { node: "24.0.0", deno: "2.9.6" } }],
  ["workers", undefined],
  ["browsers with a shim", { env: {} }],
])("is the runtime's fetch on %s", (_, process) => {
  vi.stubGlobal("process", process)
  expect(transportOf()).toBeInstanceOf(FetchTransport)
})

it("is the tape's under a tape", () => {
  const restore = replaceAmbient({ transport: (fetch) => fetch })
  expect(transportOf()).toBeInstanceOf(FetchTransport)
  restore()
  expect(transportOf()).toBeInstanceOf(NodeTransport)
})
