import { AgentScopeError } from "@agentscope-ts/message"
import { expect, test } from "vitest"
import { abortedError, modelError } from "./model-error.ts"

test("whether an error is retryable follows from its code, unless said", () => {
  expect(modelError({ code: "network", message: "m" }).retryable).toBe(true)
  expect(modelError({ code: "authentication", message: "m" }).retryable).toBe(false)
  expect(modelError({ code: "network", message: "m", retryable: false }).retryable).toBe(false)
  expect(AgentScopeError.is(modelError({ code: "network", message: "m" }), "network")).toBe(true)
})

test("secrets that a provider repeats do not stay in the message", () => {
  const key = "sk-proj-abcdefghijklmnop1234567890"
  const { message } = modelError({
    code: "authentication",
    message: `Incorrect API key provided: ${key}. Header was Bearer ${key}.`,
  })
  expect(message).not.toContain("abcdefghijklmnop")
  expect(message).toContain("Incorrect API key provided")
})

test("an aborted call says what was aborted, and keeps the reason as its cause", () => {
  const error = abortedError(AbortSignal.abort("stop"), "The call of fake/fake-1")
  expect(error).toMatchObject({ code: "aborted", message: "The call of fake/fake-1 was aborted.", cause: "stop" })
})
