import { describe, expect, test, vi } from "vitest"
import { SseStream } from "./sse-stream.ts"

const opened = () => {
  let gone = 0
  const stream = new SseStream(() => gone++)
  return { stream, gone: () => gone, reader: stream.body.getReader() }
}
const text = (value: Uint8Array | undefined): string => new TextDecoder().decode(value)

describe("a stream of events", () => {
  test("gives what was written before, while and after somebody reads, and ends", async () => {
    const { stream, reader, gone } = opened()
    stream.write("a")
    expect(text((await reader.read()).value)).toBe("a")
    const waiting = reader.read()
    stream.write("b")
    stream.write("c")
    stream.end()
    expect(stream.write("d")).toBe(false)
    expect(text((await waiting).value)).toBe("b")
    expect(text((await reader.read()).value)).toBe("c")
    expect((await reader.read()).done).toBe(true)
    expect(gone()).toBe(0)
  })

  test("ends for who waits, when there is nothing more", async () => {
    const { stream, reader } = opened()
    const waiting = reader.read()
    stream.end()
    stream.end()
    expect((await waiting).done).toBe(true)
  })

  test("tells once that its reader has left", async () => {
    const { stream, reader, gone } = opened()
    await reader.cancel()
    expect(stream.write("a")).toBe(false)
    stream.end()
    expect([gone(), stream.isOpen]).toEqual([1, false])
  })

  test("gives a reader up that falls too far behind, and keeps nothing for it", async () => {
    const { stream, reader, gone } = opened()
    let written = 0
    while (stream.write("x".repeat(10_000))) written++
    expect(written).toBeGreaterThan(100)
    expect(written).toBeLessThan(110)
    expect(gone()).toBe(1)
    await expect(reader.read()).rejects.toThrow("too slowly")
  })

  test("takes a single event of any size", async () => {
    const { stream, reader } = opened()
    expect(stream.write("x".repeat(5_000_000))).toBe(true)
    expect((await reader.read()).value?.byteLength).toBe(5_000_000)
  })

  test("shows that it is alive, and stops when it is not", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
    try {
      const { stream, reader } = opened()
      vi.advanceTimersByTime(60_000)
      expect(text((await reader.read()).value)).toBe(": alive\n\n")
      stream.write("a")
      expect(text((await reader.read()).value)).toBe("a")
      stream.end()
      const other = opened()
      await other.reader.cancel()
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })
})
