import { afterEach, expect, test, vi } from "vitest"
import { loadTracing, startSpan, traced, tracingReady } from "./index.ts"

const loads = vi.hoisted(() => ({ count: 0 }))
vi.mock("@opentelemetry/api", async (original) => {
  loads.count++
  return original()
})

const key = Symbol.for("opentelemetry.js.api.1")
const holder = globalThis as { [key]?: unknown }
afterEach(() => {
  delete holder[key]
})

test("without an SDK nothing is loaded, awaited or recorded", () => {
  expect(loadTracing()).toBeUndefined()
  expect(tracingReady()).toBe(false)
  expect(startSpan("chat", "gpt-5")).toBeUndefined()
  expect(traced("twice", (n: number) => n * 2)(4)).toBe(8)
  expect(loads.count).toBe(0)
})

test("an API that was used without an SDK counts as no SDK", () => {
  holder[key] = { version: "1.10.0", diag: {} }
  expect(loadTracing()).toBeUndefined()
  expect(loads.count).toBe(0)
})

test("the API is loaded once, when a provider registered itself, and the state follows the registration", async () => {
  const started: string[] = []
  const span = { isRecording: () => true, spanContext: () => ({}), setAttribute() {}, end() {} }
  const provider = (label: string) => ({
    getTracer: () => ({
      startSpan: (name: string) => {
        started.push(`${label} ${name}`)
        return span
      },
    }),
  })
  holder[key] = { version: "1.10.0", trace: provider("first") }
  const [a, b] = [loadTracing(), loadTracing()]
  expect(a).toBeInstanceOf(Promise)
  expect(a).toBe(b)
  expect(tracingReady()).toBe(false)
  await a
  expect(loads.count).toBe(1)
  expect(tracingReady()).toBe(true)
  expect(loadTracing()).toBeUndefined()
  startSpan("chat", "m")?.end()

  // another SDK takes its place: no tracer of the first is kept
  holder[key] = { version: "1.10.0", trace: provider("second") }
  startSpan("chat", "m")?.end()
  expect(started).toEqual(["first chat m", "second chat m"])

  delete holder[key]
  expect(tracingReady()).toBe(false)
  expect(startSpan("chat", "m")).toBeUndefined()
})
