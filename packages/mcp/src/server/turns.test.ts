import { expect, test } from "vitest"
import { Turns } from "./turns.ts"

const signal = new AbortController().signal
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

function calls() {
  const turns = new Turns()
  const running: string[] = []
  const ends = new Map<string, () => void>()
  const enter = (name: string, alone: boolean, until: AbortSignal = signal): void => {
    turns.enter(alone, until).then(
      (end) => {
        running.push(name)
        ends.set(name, end)
      },
      () => {},
    )
  }
  const end = (name: string): void => {
    running.splice(running.indexOf(name), 1)
    ends.get(name)?.()
    ends.get(name)?.()
  }
  return { running, enter, end }
}

test("calls run together, one that has to be alone after them, and the later ones after that", async () => {
  const { running, enter, end } = calls()
  enter("a", false)
  enter("b", false)
  enter("alone", true)
  enter("also alone", true)
  enter("c", false)
  enter("d", false)
  await settled()
  expect(running).toEqual(["a", "b"])
  end("a")
  await settled()
  expect(running).toEqual(["b"])
  end("b")
  await settled()
  expect(running).toEqual(["alone"])
  end("alone")
  await settled()
  expect(running).toEqual(["also alone"])
  end("also alone")
  await settled()
  expect(running).toEqual(["c", "d"])
})

test("one that is given up while it waits keeps nobody waiting", async () => {
  const { running, enter, end } = calls()
  const stop = new AbortController()
  enter("a", false)
  enter("alone", true, stop.signal)
  enter("b", false)
  await settled()
  expect(running).toEqual(["a"])
  stop.abort()
  await settled()
  expect(running).toEqual(["a", "b"])
  end("a")
  end("b")
  enter("late", true, stop.signal)
  enter("c", true)
  await settled()
  expect(running).toEqual(["c"])
})
