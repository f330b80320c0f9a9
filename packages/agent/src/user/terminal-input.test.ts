import { PassThrough } from "node:stream"
import { describe, expect, test } from "vitest"
import { idle } from "../fixtures/runs.ts"
import { askLine } from "./terminal-input.ts"

/** A terminal in memory: `tty` behaves as a keyboard does. */
function terminal(tty = false) {
  const input = Object.assign(new PassThrough(), tty && { isTTY: true, setRawMode: () => input })
  const output = Object.assign(new PassThrough(), tty && { isTTY: true, columns: 80 })
  return { input, output, shown: () => String(output.read() ?? "") }
}
const never = new AbortController().signal

/** Listeners that a question left on its input. */
const listeners = (input: PassThrough) =>
  input.eventNames().map((name) => `${String(name)} ${input.listenerCount(name)}`)

describe("a pipe", () => {
  test("is asked line by line; what comes with a line is for the next question", async () => {
    const { input, output, shown } = terminal()
    const before = listeners(input)
    input.write("first\r\nsecond\nthi")
    expect(await askLine("Bob: ", never, { input, output })).toBe("first")
    expect(shown()).toBe("Bob: ")
    expect(await askLine("Bob: ", never, { input, output })).toBe("second")
    const third = askLine("Bob: ", never, { input, output })
    await idle()
    input.end("rd")
    expect(await third).toBe("third")
    await expect(askLine("Bob: ", never, { input, output })).rejects.toMatchObject({ code: "input_closed" })
    await expect(askLine("Bob: ", never, { input, output })).rejects.toMatchObject({ code: "input_closed" })
    expect(listeners(input)).toEqual(before)
  })

  test("FR-06 a character that is cut by the pieces in which it comes stays whole, wherever the cut is", async () => {
    const bytes = new TextEncoder().encode("你好🌍\n")
    for (let cut = 1; cut < bytes.length; cut++) {
      const { input, output } = terminal()
      const line = askLine("", never, { input, output })
      input.write(bytes.subarray(0, cut))
      await idle()
      input.write(bytes.subarray(cut))
      expect(await line).toBe("你好🌍")
    }
  })

  test("an abort rejects with the signal's reason, and nothing that came is lost", async () => {
    const { input, output } = terminal()
    const before = listeners(input)
    const controller = new AbortController()
    const line = askLine("", controller.signal, { input, output })
    input.write("half a li")
    await idle()
    controller.abort("no more")
    await expect(line).rejects.toBe("no more")
    expect(listeners(input)).toEqual(before)
    input.write("ne\n")
    expect(await askLine("", never, { input, output })).toBe("half a line")
    expect(() => askLine("", AbortSignal.abort("no"), { input, output })).toThrow("no")
  })

  test("an input that breaks rejects with its error", async () => {
    const { input, output } = terminal()
    const line = askLine("", never, { input, output })
    await idle()
    input.destroy(new Error("unplugged"))
    await expect(line).rejects.toThrow("unplugged")
  })

  test("that was read as text before is read all the same", async () => {
    const { input, output } = terminal()
    input.setEncoding("utf8")
    input.write("grüß\ndich\n")
    expect(await askLine("", never, { input, output })).toBe("grüß")
    expect(await askLine("", never, { input, output })).toBe("dich")
  })
})

describe("a keyboard", () => {
  test("is asked with a line editor; a paste of several lines serves several questions", async () => {
    const { input, output, shown } = terminal(true)
    const first = askLine("Bob: ", never, { input, output })
    input.write("one\rtwo\rthree\r")
    expect(await first).toBe("one")
    expect(shown()).toContain("Bob: ")
    const after = listeners(input)
    expect(await askLine("", never, { input, output })).toBe("two")
    expect(await askLine("", never, { input, output })).toBe("three")
    // readline itself keeps one listener on a keyboard, however many questions there are
    expect(listeners(input)).toEqual(after)
    expect(after.filter((name) => name.startsWith("keypress") || name.startsWith("end"))).toEqual([])
  })

  test("Ctrl-C rejects with aborted, Ctrl-D with input_closed", async () => {
    for (const [key, code] of [
      ["\u0003", "aborted"],
      ["\u0004", "input_closed"],
    ]) {
      const { input, output } = terminal(true)
      const line = askLine("Bob: ", never, { input, output })
      input.write(key)
      await expect(line).rejects.toMatchObject({ code })
    }
  })

  test("an abort ends the question, and leaves nothing behind", async () => {
    const { input, output } = terminal(true)
    const controller = new AbortController()
    const line = askLine("Bob: ", controller.signal, { input, output })
    controller.abort("no more")
    await expect(line).rejects.toBe("no more")
    expect(listeners(input).filter((name) => name.startsWith("keypress") || name.startsWith("end"))).toEqual([])
  })
})
