import { AgentScopeError } from "@agentscope-ts/message"
import { expect, test } from "vitest"
import { captureContent, tracingReady } from "./index.ts"
import { initTracing } from "./node.ts"

const serviceName = "friday"

test.each<[string, unknown, RegExp]>([
  ["no options", undefined, /^initTracing: give an object with at least a serviceName/],
  ["a name alone", "friday", /initTracing\(\{ serviceName: "friday" \}\)/],
  ["no service name", {}, /^initTracing: serviceName is missing/],
  ["an empty service name", { serviceName: "" }, /^initTracing: serviceName is missing/],
  ["a service name of another type", { serviceName: 5 }, /serviceName must be a text, not 5\.$/],
  [
    "an endpoint of another name",
    { serviceName, endpoint: "http://x:1" },
    /"endpoint"\. Did you mean "otlpEndpoint"\?$/,
  ],
  [
    "an address in other letters",
    { serviceName, studioURL: "http://x:1" },
    /"studioURL"\. Did you mean "studioUrl"\?$/,
  ],
  ["an option far from any", { serviceName, zzzzzzzzzzzz: 1 }, /There are: serviceName, studioUrl/],
  [
    "an address that is an object",
    { serviceName, studioUrl: new URL("http://x:1") },
    /studioUrl must be a text, not a URL/,
  ],
  [
    "a switch that is a word",
    { serviceName, captureContent: "no" },
    /captureContent must be true or false, not "no"\.$/,
  ],
])("initTracing refuses %s, and starts nothing", async (_, options, message) => {
  const failure: unknown = await initTracing(options as never).catch((error: unknown) => error)
  expect(AgentScopeError.is(failure, "invalid_argument")).toBe(true)
  expect((failure as Error).message).toMatch(message)
  expect([tracingReady(), captureContent()]).toEqual([false, false])
})
