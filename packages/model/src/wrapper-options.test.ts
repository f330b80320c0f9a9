import { expect, it, test } from "vitest"
import { FakeModel, saying } from "./fixtures/fake-model.ts"
import { RateLimiter } from "./rate-limiter.ts"
import { withCircuitBreaker } from "./with-circuit-breaker.ts"
import { withFallback } from "./with-fallback.ts"
import { withRateLimit } from "./with-rate-limit.ts"
import { withRetry } from "./with-retry.ts"

const model = new FakeModel(saying("Hello"))
/** As from JavaScript. */
const call =
  (wrapper: (...args: never[]) => unknown, ...args: unknown[]) =>
  () =>
    wrapper(...(args as never[]))
const limiter = (limits: unknown) => () => new RateLimiter(limits as never)

it.each<[string, () => unknown, string]>([
  ["a misspelt limit", limiter({ requestPerMinute: 5 }), 'Did you mean "requestsPerMinute"?'],
  ["a limit of none", limiter({ requestsPerMinute: 0 }), "requestsPerMinute is 0 and has to be a number above 0"],
  ["a limit that is a number", limiter(5), "RateLimiter takes an object with requestsPerMinute"],
  ["a misspelt option of a breaker", call(withCircuitBreaker, model, { failure: 3 }), 'Did you mean "failures"?'],
  ["no failures", call(withCircuitBreaker, model, { failures: 0 }), "failures is 0 and has to be an integer above 0"],
  ["a pause before now", call(withCircuitBreaker, model, { coolDownMs: -1 }), "coolDownMs is -1"],
  ["a breaker of nothing", call(withCircuitBreaker, undefined), "withCircuitBreaker(model, options) takes a model"],
  ["a misspelt policy", call(withRetry, model, { maxRetry: 3 }), 'Did you mean "maxRetries"?'],
  ["a policy that is a number", call(withRetry, model, 3), "withRetry takes an object with maxRetries"],
  ["a number of retries that is none", call(withRetry, model, { maxRetries: "3" }), 'maxRetries is "3"'],
  ["a retry of no model", call(withRetry, { maxRetries: 3 }), "withRetry(model, policy) takes a model"],
  ["models one by one", call(withFallback, model, model), "withFallback([main, spare])"],
  ["no models", call(withFallback, []), "a list of at least one model"],
  ["a model that is none", call(withFallback, [model, "gpt-5"]), "withFallback([main, spare]) takes a model"],
  ["limits in place of a limiter", call(withRateLimit, model, { maxConcurrent: 5 }), "new RateLimiter({"],
  ["no limiter", call(withRateLimit, model), "withRateLimit takes a RateLimiter"],
])("(%s) is refused, and the message says what is taken", (_, make, message) => {
  const about = { code: "invalid_request", message: expect.stringContaining(message) as string }
  expect(make).toThrow(expect.objectContaining(about))
})

test("what is left out has its default", () => {
  expect(limiter({ maxConcurrent: undefined })).not.toThrow()
  expect(limiter({ requestsPerMinute: Number.POSITIVE_INFINITY, tokensPerMinute: 0.5 })).not.toThrow()
  expect(call(withRetry, model)).not.toThrow()
  expect(call(withCircuitBreaker, model, { failures: undefined, coolDownMs: 0 })).not.toThrow()
})
