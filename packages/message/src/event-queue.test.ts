import { expect, test, vi } from "vitest"
import { AgentScopeError, EventQueue } from "./index.ts"

interface Item {
  readonly type: string
  readonly n?: number
  readonly index?: number
  readonly msgId?: string
  readonly id?: string
  readonly text?: string
  readonly json?: string
  readonly seq?: number
}
const item = (n: number): Item => ({ type: "item", n })
const text = (value: string, index = 0, msgId = "m"): Item => ({ type: "text_delta", msgId, index, text: value })

async function drain(queue: EventQueue<Item>): Promise<Item[]> {
  const items: Item[] = []
  for await (const one of queue) items.push(one)
  return items
}

test("what is pushed comes out in order, whether the consumer waits or lags", async () => {
  const queue = new EventQueue<Item>()
  const first = queue.next()
  queue.push(item(1))
  queue.push(item(2))
  expect(await first).toEqual({ done: false, value: item(1) })
  queue.push(item(3))
  queue.end()
  expect(await drain(queue)).toEqual([item(2), item(3)])
  expect(await queue.next()).toEqual({ done: true, value: undefined })
})

test("a waiting consumer learns of the end and of a failure at once; a lagging one after what came before", async () => {
  const ended = new EventQueue<Item>()
  const waiting = ended.next()
  ended.end()
  expect(await waiting).toEqual({ done: true, value: undefined })

  const failed = new EventQueue<Item>()
  const rejected = failed.next()
  failed.fail("broken")
  await expect(rejected).rejects.toBe("broken")

  const lagging = new EventQueue<Item>()
  lagging.push(item(1))
  lagging.fail("broken")
  expect(await lagging.next()).toEqual({ done: false, value: item(1) })
  await expect(lagging.next()).rejects.toBe("broken")
  expect(await lagging.next()).toEqual({ done: true, value: undefined })
})

test("after the end nothing more is taken", async () => {
  const queue = new EventQueue<Item>()
  queue.end()
  queue.push(item(1))
  queue.fail("late")
  queue.end()
  expect(await drain(queue)).toEqual([])
})

test("a consumer that leaves early is told on once; what waited is dropped", async () => {
  const left = vi.fn()
  const queue = new EventQueue<Item>(left)
  queue.push(item(1))
  queue.push(item(2))
  for await (const one of queue) if (one.n === 1) break
  expect(left).toHaveBeenCalledTimes(1)
  await queue.return()
  queue.push(item(3))
  expect(await queue.next()).toEqual({ done: true, value: undefined })
  expect(left).toHaveBeenCalledTimes(1)
})

test("leaving after the end, or a failure that nobody fetched, tells nobody and raises nothing", async () => {
  const left = vi.fn()
  const queue = new EventQueue<Item>(left)
  queue.push(item(1))
  queue.fail("never fetched")
  expect(await queue.return()).toEqual({ done: true, value: undefined })
  expect(await queue.next()).toEqual({ done: true, value: undefined })
  expect(left).not.toHaveBeenCalled()
})

test("return ends a next that waits", async () => {
  const queue = new EventQueue<Item>()
  const waiting = queue.next()
  await queue.return()
  expect(await waiting).toEqual({ done: true, value: undefined })
})

test("a second consumer is refused", async () => {
  const queue = new EventQueue<Item>()
  const first = queue.next()
  const second = await queue.next().catch((error: unknown) => error)
  expect(AgentScopeError.is(second, "invalid_argument")).toBe(true)
  queue.push(item(1))
  expect(await first).toEqual({ done: false, value: item(1) })
})

test("FR-35 past the limit, neighbouring deltas of one block are joined: nothing is lost, and the rest stays as it is", async () => {
  const queue = new EventQueue<Item>(undefined, 2)
  queue.push(item(1))
  queue.push({ ...text("a"), seq: 1 })
  queue.push({ ...text("b"), seq: 2 })
  queue.push({ ...text("c"), seq: 3 })
  queue.push(text("other block", 1))
  queue.push(text("other message", 1, "n"))
  queue.push({ type: "thinking_delta", msgId: "n", index: 1, text: "hm" })
  queue.push({ type: "thinking_delta", msgId: "n", index: 1, text: "m" })
  queue.push({ type: "tool_use_delta", msgId: "n", index: 2, id: "c1", json: '{"a"' })
  queue.push({ type: "tool_use_delta", msgId: "n", index: 2, id: "c1", json: ":1}" })
  queue.push({ type: "tool_use_delta", msgId: "n", index: 2, id: "c2", json: "{}" })
  queue.push(item(2))
  queue.push(item(2))
  queue.end()
  expect(await drain(queue)).toEqual([
    item(1),
    { ...text("abc"), seq: 3 },
    text("other block", 1),
    text("other message", 1, "n"),
    { type: "thinking_delta", msgId: "n", index: 1, text: "hmm" },
    { type: "tool_use_delta", msgId: "n", index: 2, id: "c1", json: '{"a":1}' },
    { type: "tool_use_delta", msgId: "n", index: 2, id: "c2", json: "{}" },
    item(2),
    item(2),
  ])
})

test("below the limit nothing is joined, and an item given out is never changed", async () => {
  const queue = new EventQueue<Item>(undefined, 3)
  const given = text("a")
  for (const one of [given, text("b"), text("c"), text("d")]) queue.push(one)
  queue.end()
  expect((await drain(queue)).map((one) => one.text)).toEqual(["a", "b", "cd"])
  expect(given.text).toBe("a")
})

test("FR-35 twenty thousand deltas that nobody reads take the place of the limit", async () => {
  const queue = new EventQueue<Item>()
  for (let i = 0; i < 20_000; i++) queue.push(text("x"))
  queue.end()
  const items = await drain(queue)
  expect(items).toHaveLength(4096)
  expect(items.map((one) => one.text).join("")).toBe("x".repeat(20_000))
})

test("FR-35 a consumer that never quite catches up does not keep the places of what it has seen", async () => {
  const splice = vi.spyOn(Array.prototype, "splice")
  const queue = new EventQueue<Item>()
  queue.push(item(0))
  for (let i = 1; i <= 10_000; i++) {
    queue.push(item(i))
    expect((await queue.next()).value).toEqual(item(i - 1))
  }
  const calls = splice.mock.calls.filter(([start, count]) => start === 0 && (count as number | undefined) === 1024)
  splice.mockRestore()
  expect(calls.length).toBeGreaterThan(8)
})
