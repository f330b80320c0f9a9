import { expect, it } from "vitest"
import { rootUrl } from "./root-url.ts"

it.each([
  ["https://h/v1", "https://h"],
  ["https://h/v1/", "https://h"],
  ["https://h//v1beta//", "https://h"],
  ["https://h/gateway/v1?key=a", "https://h/gateway?key=a"],
  ["https://h/v1/gateway", "https://h/v1/gateway"],
  ["https://h/v1/", "https://h"],
  ["https://h/av1", "https://h/av1"],
  ["https://v1", "https://v1"],
  ["https://h", "https://h"],
  ["https://h/?x=/v1", "https://h/?x=/v1"],
  ["not a url", "not a url"],
])("the root of %s is %s", (baseURL, root) => {
  expect(rootUrl(baseURL, /v1(?:beta)?/)).toBe(root)
})
