import { getEventListeners } from "node:events"
import { afterEach, describe, expect, it, test, vi } from "vitest"
import { onAbort, untilAbort } from "./index.ts"

const listeners = (signal: AbortSignal) => getEventListeners(signal, "abort").length

afterEach(() => vi.restoreAllMocks())

test("a listener runs once when the signal aborts, at once if it has, and never without a signal", () => {
  const controller = new AbortController()
  const calls: string[] = []
  onAbort(controller.signal, () => calls.push("later"))
  onAbort(undefined, () => calls.push("never"))()
  expect(calls).toEqual([])
  controller.abort()
  controller.abort()
  expect(calls).toEqual(["later"])
  onAbort(controller.signal, () => calls.push("at once"))()
  expect(calls).toEqual(["later", "at once"])
})

test("FR-11 any number of listeners take one place on the signal, and none when all are gone", async () => {
  const warnings: Error[] = []
  const onWarning = (warning: Error) => warnings.push(warning)
  process.on("warning", onWarning)
  const { signal } = new AbortController()
  for (let call = 0; call < 100; call++) onAbort(signal, () => {})()
  expect(listeners(signal)).toBe(0)
  const offs = Array.from({ length: 50 }, () => onAbort(signal, () => {}))
  expect(listeners(signal)).toBe(1)
  for (const off of offs) off()
  for (const off of offs) off()
  expect(listeners(signal)).toBe(0)
  // warnings are given in a later turn
  await new Promise(setImmediate)
  process.off("warning", onWarning)
  expect(warnings).toEqual([])
})

test("a listener that was taken away is not called, also when another one takes it away while the signal aborts", () => {
  const controller = new AbortController()
  const calls: string[] = []
  onAbort(controller.signal, () => calls.push("gone"))()
  const offs: (() => void)[] = []
  onAbort(controller.signal, () => {
    calls.push("first")
    offs[0]?.()
  })
  offs.push(onAbort(controller.signal, () => calls.push("taken away")))
  onAbort(controller.signal, () => calls.push("last"))
  controller.abort()
  expect(calls).toEqual(["first", "last"])
  expect(listeners(controller.signal)).toBe(0)
})

test("the same function given twice counts twice", () => {
  const controller = new AbortController()
  const listener = vi.fn()
  const off = onAbort(controller.signal, listener)
  onAbort(controller.signal, listener)
  onAbort(controller.signal, listener)
  off()
  controller.abort()
  expect(listener).toHaveBeenCalledTimes(2)
})

test("a listener that throws keeps nobody else from being told; its error is reported as uncaught", () => {
  const later: (() => void)[] = []
  vi.spyOn(globalThis, "queueMicrotask").mockImplementation((task) => later.push(task))
  const controller = new AbortController()
  const calls: string[] = []
  onAbort(controller.signal, () => {
    throw new Error("in a listener")
  })
  onAbort(controller.signal, () => calls.push("told"))
  controller.abort()
  expect(calls).toEqual(["told"])
  expect(later).toHaveLength(1)
  expect(later[0]).toThrow("in a listener")
})

describe("untilAbort", () => {
  it("is the work's own end where nothing aborts, and leaves no listener", async () => {
    const controller = new AbortController()
    await expect(untilAbort(Promise.resolve(1), controller.signal)).resolves.toBe(1)
    await expect(untilAbort(Promise.reject(new RangeError("no")), controller.signal)).rejects.toThrow("no")
    await expect(untilAbort(Promise.resolve(2), undefined)).resolves.toBe(2)
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0)
  })

  it("rejects as soon as the signal aborts, with its reason or one of the caller's", async () => {
    const controller = new AbortController()
    const never = new Promise<never>(() => {})
    const plain = untilAbort(never, controller.signal)
    const own = untilAbort(never, controller.signal, () => "given up")
    controller.abort("stop")
    await expect(plain).rejects.toBe("stop")
    await expect(own).rejects.toBe("given up")
  })
})
