import { expect, test } from "vitest"
import { didYouMean } from "./nearest.ts"

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
