import { expect, test, vi } from "vitest"
import { AgentScopeError, errorJson } from "./index.ts"

test("an error has its code, message and cause; it is not retryable and has no details unless said", () => {
  const cause = new Error("socket closed")
  const plain = new AgentScopeError({ code: "not_found", message: "No such model." })
  expect(plain).toBeInstanceOf(Error)
  expect(plain).toMatchObject({
    name: "AgentScopeError",
    code: "not_found",
    message: "No such model.",
    retryable: false,
  })
  expect(plain.details).toEqual({})
  expect(plain).not.toHaveProperty("cause")
  const full = new AgentScopeError({
    code: "rate_limited",
    message: "m",
    retryable: true,
    cause,
    details: { retryAfterMs: 5 },
  })
  expect(full).toMatchObject({ retryable: true, cause, details: { retryAfterMs: 5 } })
  expect(full.stack).toContain("error.test.ts")
})

test("is recognises errors, by code if asked, and nothing else", () => {
  class Special extends AgentScopeError<"a"> {}
  const error = new Special({ code: "a", message: "m" })
  expect(AgentScopeError.is(error)).toBe(true)
  expect(AgentScopeError.is(error, "a")).toBe(true)
  expect(AgentScopeError.is(error, "b")).toBe(false)
  for (const other of [new Error("x"), { code: "a", message: "m", retryable: false }, null, undefined, "a", 5]) {
    expect(AgentScopeError.is(other)).toBe(false)
  }
})

test("errors are recognised across two installed copies of the package", async () => {
  vi.resetModules()
  const copy = await import("./error.ts")
  expect(copy.AgentScopeError).not.toBe(AgentScopeError)
  const foreign: unknown = new copy.AgentScopeError({ code: "network", message: "m", retryable: true })
  expect(foreign).not.toBeInstanceOf(AgentScopeError)
  expect(AgentScopeError.is(foreign, "network")).toBe(true)
  expect(errorJson(foreign)).toEqual({ code: "network", message: "m", retryable: true })
})

test("as JSON an error is its code, message and whether it can be tried again", () => {
  const error = new AgentScopeError({ code: "x", message: "m", cause: new Error("secret"), details: { key: 1 } })
  expect(JSON.parse(JSON.stringify({ error }))).toEqual({ error: { code: "x", message: "m", retryable: false } })
  expect(errorJson(error)).toEqual(error.toJSON())
})

const circular: Record<string, unknown> = {}
circular["self"] = circular
test.each([
  [new RangeError("off"), "off"],
  ["text", "text"],
  [undefined, "undefined"],
  [Symbol("s"), "Symbol(s)"],
  [{ message: "like an error" }, "like an error"],
  [{ status: 500 }, '{"status":500}'],
  [circular, "[object Object]"],
  [Object.create(null), "{}"],
])("any thrown value becomes an unexpected error (%#)", (thrown: unknown, message) => {
  expect(errorJson(thrown)).toEqual({ code: "unexpected", message, retryable: false })
})
