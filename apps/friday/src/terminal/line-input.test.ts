import { EventEmitter } from "node:events"
import { PassThrough } from "node:stream"
import { stripVTControlCharacters } from "node:util"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { LineInput } from "./line-input.ts"

let keyboard: PassThrough & { isTTY: boolean; setRawMode(raw: boolean): void }
let shown: string
let screen: EventEmitter & { columns: number; write(text: string): boolean }
let interrupts: number
let lines: LineInput

beforeEach(() => {
  shown = ""
  interrupts = 0
  keyboard = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} })
  screen = Object.assign(new EventEmitter(), {
    columns: 80,
    write: (text: string) => {
      shown += text
      return true
    },
  })
  lines = new LineInput(
    keyboard as unknown as NodeJS.ReadStream,
    screen as unknown as NodeJS.WriteStream,
    () => interrupts++,
  )
  expect(shown).toBe("\u001b[?2004h")
  shown = ""
})
afterEach(() => lines.close())

/** Types keys and lets them arrive. */
const type = async (keys: string) => {
  keyboard.write(keys)
  await new Promise((resolve) => setImmediate(resolve))
}
const plain = () => stripVTControlCharacters(shown).replaceAll("\r", "")

describe("lines from a terminal", () => {
  it("asks, and gives what is typed", async () => {
    const answer = lines.ask("› ")
    await type("hello\r")
    expect(await answer).toEqual({ type: "line", text: "hello" })
    expect(plain()).toBe("› hello\n")
  })

  it("draws nothing while nobody asks, and keeps what is typed for the next question", async () => {
    await type("ahead\r")
    expect(shown).toBe("")
    expect(await lines.ask("› ")).toEqual({ type: "line", text: "ahead" })
    expect(plain()).toBe("› ahead\n")
  })

  it("shows half a line that was typed ahead", async () => {
    await type("hal")
    const answer = lines.ask("› ")
    expect(plain()).toBe("› hal")
    await type("f\r")
    expect(await answer).toEqual({ type: "line", text: "half" })
  })

  it("takes nothing typed before a question that decides, and keeps its answer out of the history", async () => {
    await type("y\r")
    await type("ye")
    const answer = lines.ask("sure? ", { fresh: true })
    await type("n\r")
    expect(await answer).toEqual({ type: "line", text: "n" })
    expect(await lines.ask("› ")).toEqual({ type: "line", text: "y" })
    const next = lines.ask("› ")
    await type("\u001b[A\r")
    expect(await next).toEqual({ type: "line", text: "y" })
  })

  it("begins with a text to edit", async () => {
    const answer = lines.ask("edit ", { prefill: "rm x", fresh: true })
    await type("\u007fy\r")
    expect(await answer).toEqual({ type: "line", text: "rm y" })
  })

  it("tells Ctrl-C at a question from Ctrl-C while something runs", async () => {
    await type("\u0003")
    expect(interrupts).toBe(1)
    const answer = lines.ask("› ")
    await type("some text\u0003")
    expect(await answer).toEqual({ type: "interrupt", empty: false })
    const again = lines.ask("› ")
    await type("\u0003")
    expect(await again).toEqual({ type: "interrupt", empty: true })
    expect(interrupts).toBe(1)
  })

  it("forgets what was typed ahead when told", async () => {
    await type("old\rhalf")
    expect(lines.discard()).toEqual(["old"])
    const answer = lines.ask("› ")
    await type("new\r")
    expect(await answer).toEqual({ type: "line", text: "new" })
  })

  it("says when the person left, now and for every later question", async () => {
    const answer = lines.ask("› ")
    await type("\u0004")
    expect(await answer).toEqual({ type: "end" })
    expect(await lines.ask("› ")).toEqual({ type: "end" })
  })

  it("takes a pasted text of several lines for one line, which Enter sends", async () => {
    const answer = lines.ask("› ")
    await type("say \u001b[200~one\rtwo\r\nthree\u0007\r\u001b[201~")
    expect(plain()).toContain("say one↵two↵three")
    await type("!\r")
    expect(await answer).toEqual({ type: "line", text: "say one\ntwo\nthree!" })
    const again = lines.ask("› ")
    await type("\u001b[A\r")
    expect(await again).toEqual({ type: "line", text: "say one\ntwo\nthree!" })
  })

  it("sends nothing that is pasted, at a question that decides neither", async () => {
    await type("\u001b[200~y\ry")
    const answer = lines.ask("sure? ", { fresh: true })
    await type("\ry\r\u001b[201~")
    await type("\u001b[200~n\r\u001b[201~")
    await type("o\r")
    expect(await answer).toEqual({ type: "line", text: "no" })
  })

  it("is interrupted within a paste that does not end", async () => {
    const answer = lines.ask("› ")
    await type("\u001b[200~one\u0003")
    expect(await answer).toEqual({ type: "interrupt", empty: true })
  })

  it("leaves no listener on the terminal", () => {
    const before = process.listenerCount("exit")
    lines.close()
    expect(process.listenerCount("exit")).toBe(before - 1)
    expect(shown).toBe("\u001b[?2004l")
    expect(screen.listenerCount("resize")).toBe(0)
    expect(keyboard.listenerCount("keypress")).toBe(0)
  })

  it("draws anew for another width", async () => {
    const answer = lines.ask("› ")
    await type("text")
    shown = ""
    screen.columns = 20
    screen.emit("resize")
    expect(plain()).toBe("› text")
    await type("\r")
    await answer
  })
})
