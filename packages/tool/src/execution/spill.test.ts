import { textOf } from "@agentscope-ts/message"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { answer, plain, use } from "../fixtures/calls.ts"
import { type Spill, Toolkit, toolResponse } from "../index.ts"

const long = "0123456789".repeat(30)
const spilled = vi.fn<Spill>(async () => "file 7")
const kit = { outputLimit: 60, spill: spilled as Spill }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  spilled.mockClear()
})

describe("FR-43 what is cut from an output is kept", () => {
  test("whole, whatever returned it, and the result points to it", async () => {
    for (const value of [
      long,
      toolResponse([
        { type: "text", text: long.slice(0, 100) },
        { type: "text", text: long.slice(100) },
      ]),
      (function* () {
        for (let i = 0; i < long.length; i += 7) yield long.slice(i, i + 7)
      })(),
    ]) {
      const result = await answer(value, kit)
      expect(spilled.mock.lastCall?.[0]).toBe(long)
      expect(textOf(result)).toContain("240 of its 300 characters are left out. All of it: file 7]")
      expect(result.metadata).toEqual({ truncated: { characters: 300, shown: 60, whole: "file 7" } })
    }
    expect(spilled.mock.lastCall?.[1]).toEqual({ toolUse: use("t") })
  })

  test("also of failures, of what was interrupted, and of what a postprocess made", async () => {
    const broken = plain(function* () {
      yield long
      throw new Error("broken")
    })
    const failed = await new Toolkit({ ...kit, tools: [broken] }).execute(use("t")).result
    expect(textOf(failed)).toMatch(/All of it: file 7\][^]*broken$/)
    const made = new Toolkit(kit)
    made.register(
      plain(() => "secret"),
      { postprocess: (result) => ({ ...result, output: [{ type: "text", text: long }] }) },
    )
    expect(textOf(await made.execute(use("t")).result)).toContain("file 7")
    expect(spilled.mock.calls.map(([text]) => text)).toEqual([long, long])
  })

  test("not when it fits", async () => {
    await answer("short", kit)
    expect(spilled).not.toHaveBeenCalled()
  })

  test("a failure to keep it is told; one that hangs ends with the time limit: the cut output is there all the same", async () => {
    const full: Spill = () => Promise.reject(new Error("disk full"))
    expect(textOf(await answer(long, { ...kit, spill: full }))).toContain("could not be kept: disk full")
    const nothing: Spill = () => undefined
    expect(textOf(await answer(long, { ...kit, spill: nothing }))).toContain("left out.]")
    const hangs: Spill = () => new Promise(() => {})
    const late = answer(long, { ...kit, spill: hangs, timeoutMs: 100 })
    await vi.advanceTimersByTimeAsync(100)
    expect(await late).toMatchObject({ state: "success" })
    expect(textOf(await late)).toContain("left out.]")
    expect(vi.getTimerCount()).toBe(0)
  })
})
