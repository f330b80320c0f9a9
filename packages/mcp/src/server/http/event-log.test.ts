import { expect, test } from "vitest"
import { EventLog } from "./event-log.ts"

const idIn = (frame: string): string => frame.split(" ", 1)[0] ?? ""
const add = (log: EventLog, stream: string, text = "", light = false): string =>
  idIn(log.add(stream, (id) => `${id} ${text}`, light))

test("gives what came after an event, on its own stream", () => {
  const log = new EventLog()
  const mark = log.mark("p1")
  const one = add(log, "p1", "one")
  add(log, "p2", "other")
  const two = add(log, "p1", "two")
  expect(log.after(mark)).toEqual({ stream: "p1", frames: [`${one} one`, `${two} two`] })
  expect(log.after(one)?.frames).toEqual([`${two} two`])
  expect(log.after(two)?.frames).toEqual([])
})

test("knows nothing of ids that are not its own", () => {
  const log = new EventLog()
  add(log, "p1")
  for (const id of ["", "p1", "p1-", "p1-9", "p1-1-1", "P1-1", "p1--1", "p1-1e3", "x".repeat(1000)]) {
    expect(log.after(id), id).toBeUndefined()
  }
})

test("is bounded, forgets progress and logs first, and says when something is missing", () => {
  const log = new EventLog()
  const mark = log.mark("p1")
  const answer = add(log, "p1", "answer")
  for (let i = 0; i < 2000; i++) add(log, "p2", "progress", true)
  expect(log.after(mark)?.frames).toEqual([`${answer} answer`])
  for (let i = 0; i < 2000; i++) add(log, "p3", "answer")
  expect(log.after(mark)).toBeUndefined()
  expect(log.after(answer)?.frames).toEqual([])
  expect(log.after("p3-4003")?.frames).toBeUndefined()
})

test("is bounded in size, and keeps the newest whatever its size", () => {
  const log = new EventLog()
  const first = add(log, "p1", "x".repeat(900_000))
  const mark = log.mark("p2")
  const huge = add(log, "p2", "y".repeat(3_000_000))
  expect(log.after(mark)?.frames[0]).toHaveLength(huge.length + 1 + 3_000_000)
  expect(log.after(first)?.frames).toEqual([])
  add(log, "p3")
  expect(log.after(mark)).toBeUndefined()
})
