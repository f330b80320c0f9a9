import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { Watchdog, Watchdogs } from "./watchdog.ts"

const watched = () => ({ active: false, idle: 0, expire: vi.fn<() => void>() })

describe("Watchdog", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it("expires what stays silent, between the timeout and an eighth more", () => {
    const dog = new Watchdog(800)
    const silent = watched()
    dog.add(silent)
    vi.advanceTimersByTime(800)
    expect(silent.expire).not.toHaveBeenCalled()
    vi.advanceTimersByTime(100)
    expect(silent.expire).toHaveBeenCalledOnce()
  })

  it("counts from the last sign of life", () => {
    const dog = new Watchdog(800)
    const one = watched()
    dog.add(one)
    for (let i = 0; i < 10; i++) {
      vi.advanceTimersByTime(700)
      one.active = true
    }
    expect(one.expire).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1000)
    expect(one.expire).toHaveBeenCalled()
  })

  it("never expires a newcomer early", () => {
    const dog = new Watchdog(800)
    dog.add(watched())
    vi.advanceTimersByTime(99)
    const late = watched()
    dog.add(late)
    vi.advanceTimersByTime(800)
    expect(late.expire).not.toHaveBeenCalled()
  })

  it("stops its timer when there is nobody left", () => {
    const dog = new Watchdog(800)
    const one = watched()
    dog.add(one)
    dog.delete(one)
    vi.advanceTimersByTime(100)
    expect(vi.getTimerCount()).toBe(0)
    dog.add(one)
    expect(vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(900)
    expect(one.expire).toHaveBeenCalled()
  })

  it("is one for each timeout", () => {
    const dogs = new Watchdogs()
    expect(dogs.of(5)).toBe(dogs.of(5))
    expect(dogs.of(5)).not.toBe(dogs.of(6))
  })
})
