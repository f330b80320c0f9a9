import { type Msg, userMsg } from "@agentscope-ts/message"
import fc from "fast-check"
import { describe, expect, it, vi } from "vitest"
import { BodyPool, ConversationBodies } from "./body-pool.ts"
import { ConversationBody } from "./conversation-body.ts"

const text = (bytes: Uint8Array | Promise<Uint8Array>) => new TextDecoder().decode(bytes as Uint8Array)
const json = (msg: Msg) => JSON.stringify(msg.content)
const head = '{"model":"m","messages":['

describe("ConversationBody", () => {
  it("encodes each message once while the history grows", () => {
    const body = new ConversationBody()
    const encoded: Msg[] = []
    const messages: Msg[] = []
    for (let i = 0; i < 50; i++) {
      messages.push(userMsg(`message ${i} ${"é😀".repeat(i)}`))
      const bytes = body.render(head, [...messages], (msg) => {
        encoded.push(msg)
        return json(msg)
      })
      expect(text(bytes)).toBe(`${head}${messages.map(json).join(",")}]}`)
    }
    expect(encoded).toEqual(messages)
  })

  it("is the plain body for any sequence of histories and heads", () => {
    const pool = Array.from({ length: 6 }, (_, i) => userMsg(i === 3 ? "long ".repeat(2000) : `m${i}`))
    const step = fc.record({ head: fc.constantFrom("[", "{a["), ids: fc.array(fc.nat(5), { maxLength: 6 }) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
        const body = new ConversationBody()
        for (const { head, ids } of steps) {
          const messages = ids.map((id) => pool[id] as Msg)
          // one of them has no form on the wire
          const encode = (msg: Msg) => (msg === pool[2] ? "" : json(msg))
          const expected = messages
            .map(encode)
            .filter((part) => part !== "")
            .join(",")
          expect(text(body.render(head, messages, encode))).toBe(`${head}${expected}]}`)
        }
      }),
      { seed: 9 },
    )
  })

  it("ends as it is told, from call to call, with a comma only behind a message", () => {
    const body = new ConversationBody()
    const [a, b] = [userMsg("a"), userMsg("b")]
    const long = `,"${"x".repeat(9000)}"]}}`
    expect(text(body.render(head, [], json, ',"end"]}}'))).toBe(`${head}"end"]}}`)
    expect(text(body.render(head, [a], json, ',"end"]}}'))).toBe(`${head}${json(a)},"end"]}}`)
    expect(text(body.render(head, [a], json, long))).toBe(`${head}${json(a)}${long}`)
    expect(text(body.render(head, [a, b], json))).toBe(`${head}${json(a)},${json(b)}]}`)
  })

  it("waits for messages that need it, in order, and remembers them", async () => {
    const body = new ConversationBody()
    const messages = [userMsg("a"), userMsg("b"), userMsg("c"), userMsg("d")]
    const slow = (msg: Msg) => (msg === messages[1] || msg === messages[3] ? Promise.resolve(json(msg)) : json(msg))
    const bytes = body.render(head, messages, slow)
    expect(bytes).toBeInstanceOf(Promise)
    expect(text(await bytes)).toBe(`${head}${messages.map(json).join(",")}]}`)
    expect(body.render(head, messages, slow)).toBeInstanceOf(Uint8Array)
  })

  it("is right again after a message could not be encoded", () => {
    const body = new ConversationBody()
    const messages = [userMsg("a"), userMsg("b")]
    const failing = (msg: Msg) => {
      if (msg === messages[1]) throw new RangeError("no")
      return json(msg)
    }
    expect(() => body.render(head, messages, failing)).toThrow(RangeError)
    expect(text(body.render(head, messages, json))).toBe(`${head}${messages.map(json).join(",")}]}`)
  })

  it("starts anew, and small, when the history is another one", () => {
    const body = new ConversationBody()
    void body.render(head, [userMsg("x".repeat(100_000))], json)
    expect(body.size).toBeGreaterThan(100_000)
    void body.render(head, [userMsg("short")], json)
    expect(body.size).toBeLessThan(10_000)
  })
})

describe("ConversationBodies", () => {
  it("gives a conversation its body back, a second request at once a body of its own", () => {
    const bodies = new ConversationBodies(new BodyPool(1e6))
    const conversation = {}
    const first = bodies.take(conversation)
    const second = bodies.take(conversation)
    expect(second).not.toBe(first)
    bodies.release(second)
    bodies.release(first)
    expect(bodies.take(conversation)).toBe(first)
    expect(bodies.take({})).not.toBe(first)
    expect(bodies.take(undefined)).not.toBe(bodies.take(undefined))
  })

  it("holds no more memory than the pool allows: what was unused the longest goes", () => {
    const pool = new BodyPool(50_000)
    const bodies = new ConversationBodies(pool)
    const conversations = Array.from({ length: 20 }, () => ({}))
    const use = (conversation: object) => {
      const body = bodies.take(conversation)
      void body.render(head, [userMsg("x".repeat(8000))], json)
      bodies.release(body)
      return body
    }
    const used = conversations.map(use)
    expect(pool.size).toBeLessThanOrEqual(50_000)
    expect(used.map((body) => body.size > 0)).toEqual(used.map((_, i) => i >= 14))
    // a use counts: 14 was the next to go
    use(conversations[14] as object)
    use({})
    expect(used[14]?.size).toBeGreaterThan(0)
    expect(used[15]?.size).toBe(0)
    // and a dropped one is built again
    expect(text((used[0] as ConversationBody).render(head, [userMsg("again")], json))).toContain("again")
  })

  it("does not count what is too small to matter", () => {
    const pool = new BodyPool(20_000, 10_000)
    const bodies = new ConversationBodies(pool)
    const use = (length: number) => {
      const body = bodies.take({})
      void body.render(head, [userMsg("x".repeat(length))], json)
      bodies.release(body)
      return body
    }
    const small = Array.from({ length: 20 }, () => use(1000))
    expect(pool.size).toBe(0)
    expect(small.every((body) => body.size > 0)).toBe(true)
    expect(use(15_000).size).toBe(pool.size)
  })

  it("drops none that is in use, and keeps none that is too large at all", () => {
    const pool = new BodyPool(20_000)
    const bodies = new ConversationBodies(pool)
    const big = bodies.take({})
    void big.render(head, [userMsg("x".repeat(15_000))], json)
    bodies.release(big)
    big.busy = true
    const other = bodies.take({})
    void other.render(head, [userMsg("x".repeat(15_000))], json)
    bodies.release(other)
    expect(big.size).toBeGreaterThan(0)
    expect(other.size).toBe(0)
    expect(pool.size).toBe(big.size)
  })

  it("is bounded where there are no weak references, too", () => {
    vi.stubGlobal("WeakRef", undefined)
    vi.stubGlobal("FinalizationRegistry", undefined)
    const pool = new BodyPool(20_000)
    const bodies = new ConversationBodies(pool)
    for (let i = 0; i < 10; i++) {
      const body = bodies.take({})
      void body.render(head, [userMsg("x".repeat(8000))], json)
      bodies.release(body)
    }
    vi.unstubAllGlobals()
    expect(pool.size).toBeLessThanOrEqual(20_000)
  })

  it("lets go of the bodies of conversations that are gone", { retry: 3 }, async () => {
    const { setFlagsFromString } = await import("node:v8")
    const { runInNewContext } = await import("node:vm")
    setFlagsFromString("--expose-gc")
    const collect = runInNewContext("gc") as () => void
    const pool = new BodyPool(1e9)
    const bodies = new ConversationBodies(pool)
    for (let i = 0; i < 50; i++) {
      const body = bodies.take({})
      void body.render(head, [userMsg("x".repeat(8000))], json)
      bodies.release(body)
    }
    expect(pool.size).toBeGreaterThan(400_000)
    for (let i = 0; i < 20 && pool.size > 50_000; i++) {
      collect()
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    expect(pool.size).toBeLessThan(50_000)
  })
})
