import { expect, test } from "vitest"
import { didYouMean, nearestName } from "./nearest-name.ts"

test.each([
  ["get_wether", ["get_time", "get_weather"], ' Did you mean "get_weather"?'],
  ["getWeather", ["get_time", "get_weather"], ' Did you mean "get_weather"?'],
  ["reed", ["read", "write"], ' Did you mean "read"?'],
  ["delete_everything", ["read", "write"], ""],
  ["x", [], ""],
])("%s among %j", (name, candidates, hint) => {
  expect(didYouMean(name, candidates)).toBe(hint)
})

test("a name of any length is compared quickly", () => {
  expect(didYouMean("x".repeat(100_000), ["y".repeat(100_000)])).toBe("")
})

test("is careful where a name that is merely unknown is fine", () => {
  const options = ["model", "apiKey", "baseURL", "fetch"]
  expect(nearestName("apikey", options, { strict: true })).toBe("apiKey")
  expect(nearestName("base_url", options, { strict: true })).toBe("baseURL")
  expect(nearestName("patch", options, { strict: true })).toBeUndefined()
  expect(nearestName("region", options, { strict: true })).toBeUndefined()
})
