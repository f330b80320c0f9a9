import { assistantMsg, type ContentBlock, type Msg, toolResultMsg, userMsg } from "@agentscope-ts/message"
import { type TokenCounter, validateHistory } from "@agentscope-ts/model"
import { describe, expect, test } from "vitest"
import { compactionCut } from "../index.ts"

/** Each message is ten tokens, or what its text says. */
const perMessage = (msg: Msg) =>
  Number(msg.content.find((block) => block.type === "text")?.text.match(/^\d+$/)?.[0] ?? 10)
const tokenCounter: TokenCounter = {
  count: (messages) => Promise.resolve(messages.reduce((sum, msg) => sum + perMessage(msg), 0)),
}
const calls = (...ids: string[]) =>
  assistantMsg(ids.map((id): ContentBlock => ({ type: "tool_use", id, name: "look", input: {} })) as never)
const results = (...ids: string[]) =>
  toolResultMsg(
    ids.map((id) => ({
      type: "tool_result",
      id,
      name: "look",
      output: [{ type: "text", text: "seen" }],
      state: "success",
    })),
  )
const cutAt = async (messages: readonly Msg[], keepRecent: number, triggerTokens = messages.length * 10 - 1) =>
  (await compactionCut(messages, { keepRecent, triggerTokens, tokenCounter }))?.at
/** The cut where tokens would let it be anywhere. */
const placeFor = async (messages: readonly Msg[], keepRecent: number) => {
  const count = (part: readonly Msg[]) => Promise.resolve(part.length === messages.length ? 1000 : part.length)
  return (await compactionCut(messages, { keepRecent, triggerTokens: 999, tokenCounter: { count } }))?.at
}

const u = userMsg("hi")
const a = assistantMsg("hello")

test("a history that fits is not cut", async () => {
  expect(await cutAt([u, a, u], 1, 30)).toBeUndefined()
  expect(await compactionCut([], { triggerTokens: 1 })).toBeUndefined()
  expect(await compactionCut([u, a, u], { triggerTokens: 30, overheadTokens: 1, keepRecent: 1, tokenCounter })).toEqual(
    {
      at: 2,
      tokens: 30,
      keptTokens: 10,
    },
  )
})

describe("FR-16 a cut is never between a call and its result", () => {
  test.each<[string, Msg[], number, number]>([
    ["of the report", [u, calls("1"), results("1"), calls("2"), results("2"), a], 4, 1],
    ["where it is safe already", [u, calls("1"), results("1"), calls("2"), results("2"), a], 3, 3],
    ["results of one round one by one", [u, a, calls("1", "2"), results("1"), results("2"), a], 2, 2],
    ["two results for one call", [u, a, calls("1"), results("1"), results("1"), a], 2, 2],
    ["a message between both", [u, a, calls("1"), u, results("1"), a], 2, 2],
    ["nothing safe before it", [calls("1"), results("1"), a, u], 3, 2],
    ["an id that comes again", [u, calls("1"), results("1"), a, u, calls("1"), results("1")], 3, 4],
    ["a result without a call", [u, results("x"), a, u], 3, 1],
  ])("%s", async (_what, messages, keepRecent, at) => {
    expect(await placeFor(messages, keepRecent)).toBe(at)
  })

  test.each<[string, Msg[], number]>([
    ["one call", [u, a, u, calls("1")], 3],
    ["a round of which one is answered", [u, a, u, calls("1", "2"), results("1")], 3],
    ["with messages that came since", [u, a, u, calls("1"), u, u], 3],
  ])("calls that are still in flight stay: %s", async (_what, messages, most) => {
    for (let keep = 0; keep <= messages.length; keep++) {
      expect(await placeFor(messages, keep)).toBeLessThanOrEqual(most)
    }
  })

  test("a call that was given up long ago keeps nothing from being cut", async () => {
    expect(await placeFor([u, calls("1"), a, u, a, u], 2)).toBe(4)
  })

  test("generated histories stay valid", async () => {
    let seed = Number(process.env["SEED"] ?? 1)
    const random = (below: number) => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
      return Math.floor((seed / 2 ** 32) * below)
    }
    let cuts = 0
    for (let round = 0; round < 2000; round++) {
      const messages: Msg[] = []
      for (let turn = 0; turn < 8; turn++) {
        messages.push(userMsg("hi"))
        for (let step = random(3); step > 0; step--) {
          const ids = Array.from({ length: 1 + random(3) }, (_, i) => `c${messages.length}-${i}`)
          messages.push(calls(...ids))
          if (random(2) === 0) messages.push(results(...ids))
          else messages.push(...ids.map((id) => results(id)))
        }
        messages.push(assistantMsg("done"))
      }
      const problems = (part: readonly Msg[]) => validateHistory(part, { provider: "p" }).map(({ problem }) => problem)
      const whole = problems(messages)
      const keep = random(messages.length + 2)
      const at = await (random(2) === 0
        ? placeFor(messages, keep)
        : cutAt(messages, keep, messages.length * (2 + random(7))))
      if (at === undefined) continue
      cuts++
      expect(at).toBeGreaterThan(0)
      expect(at).toBeLessThan(messages.length)
      for (const part of [messages.slice(0, at), messages.slice(at)]) {
        expect(problems(part).filter((problem) => !whole.includes(problem))).toEqual([])
      }
    }
    expect(cuts).toBeGreaterThan(1000)
  })
})

describe("FR-27 a history that is too big", () => {
  test("keeps fewer messages where the newest are too big", async () => {
    const big = [u, userMsg("50"), userMsg("40"), userMsg("30"), u]
    expect(await compactionCut(big, { triggerTokens: 100, keepRecent: 4, tokenCounter })).toEqual({
      at: 3,
      tokens: 140,
      keptTokens: 40,
    })
  })

  test("is cut so that the next message does not cut it again, where that can be", async () => {
    const messages = Array.from({ length: 20 }, () => u)
    expect(await cutAt(messages, 19, 195)).toBe(6)
    expect(await cutAt([u, userMsg("90")], 10, 99)).toBe(1)
  })

  test("fails where what has to stay is too big, and says so", async () => {
    const limits = { triggerTokens: 100, tokenCounter }
    for (const [messages, overheadTokens] of [
      [[u, userMsg("101")], 0],
      [[userMsg("101")], 0],
      [[u, u, u], 95],
      [[calls("1"), userMsg("100")], 0],
    ] as const) {
      await expect(compactionCut(messages, { ...limits, overheadTokens })).rejects.toMatchObject({
        code: "overhead_too_big",
        message: expect.stringContaining("100 tokens"),
      })
    }
  })

  test("may be long: tokens are counted a few times", async () => {
    let counted = 0
    const counter: TokenCounter = {
      count: (messages) => {
        counted++
        return tokenCounter.count(messages)
      },
    }
    const messages = Array.from({ length: 20_000 }, () => u)
    const cut = await compactionCut(messages, { triggerTokens: 1000, tokenCounter: counter, keepRecent: 5000 })
    expect(cut).toMatchObject({ keptTokens: 750 })
    expect(counted).toBeLessThan(20)
  })
})

test.each([{ triggerTokens: 0 }, { triggerTokens: Number.NaN }, { keepRecent: -1 }, { overheadTokens: -1 }])(
  "the limits %j are refused",
  async (limits) => {
    await expect(compactionCut([u], { triggerTokens: 10, ...limits })).rejects.toMatchObject({
      code: "invalid_argument",
    })
  },
)
