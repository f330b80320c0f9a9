import { readFileSync } from "node:fs"
import { AgentScopeError, ambient, isoNow, newId } from "@agentscope-ts/message"
import { postJson, postSse } from "@agentscope-ts/model/wire"
import { beforeAll, describe, expect, it } from "vitest"
import { recordTape, replayTape, type TapeReport, toMatchTape } from "../index.ts"
import { replacePlaces, singlePlace } from "./lanes.ts"
import { codeOf, echo, failureOf, key, linesOf, newFile, nowhere, serve } from "../fixtures/tape-runs.ts"

describe("what is replayed", () => {
  it("answers, ids, times, chance and sleeps are the recorded ones, and nobody sleeps", async () => {
    const file = newFile()
    const run = (url: string) => async () => {
      const got: unknown[] = [newId(), isoNow()]
      got.push(await postJson(`${url}/v1/a?key=topsecret123`, { n: 1 }, { headers: key }))
      await ambient().sleep(150)
      got.push(ambient().random(), newId(), ambient().now())
      got.push(await postJson(`${url}/v1/b`, { n: 2 }, { headers: key }), ambient().now())
      return got
    }
    let first: unknown
    {
      await using server = await serve(echo)
      first = await recordTape(file, run(server.url))
    }
    const began = Date.now()
    expect(await replayTape(file, run(nowhere))).toEqual(first)
    expect(Date.now() - began).toBeLessThan(120)
    expect(readFileSync(file, "utf8")).not.toMatch(/sk-live|topsecret/)
  })

  it("bodies come in the recorded pieces, bytes that are no UTF-8 and characters that were cut too", async () => {
    const file = newFile()
    const pieces = [
      Buffer.from([0xff, 0x00, 0x80]),
      Buffer.from("grüß").subarray(0, 3),
      Buffer.from("grüß").subarray(3),
    ]
    const run = (url: string) => async () => {
      const fetch = ambient().transport?.(globalThis.fetch)
      const response = await fetch?.(`${url}/bytes`)
      const read: number[][] = []
      for await (const piece of response?.body ?? []) read.push([...(piece as Uint8Array)])
      return read
    }
    let first: number[][]
    {
      await using server = await serve(async (_, response) => {
        for (const piece of pieces) {
          response.write(piece)
          await new Promise((resolve) => setTimeout(resolve, 20))
        }
        response.end()
      })
      first = await recordTape(file, run(server.url))
    }
    expect(first).toEqual(pieces.map((piece) => [...piece]))
    expect(await replayTape(file, run(nowhere))).toEqual(first)
  })

  it("5 MB go both ways", async () => {
    const file = newFile()
    const big = "x".repeat(5_000_000)
    const run = (url: string) => () => postJson(`${url}/big`, { big })
    let first: unknown
    {
      await using server = await serve(echo)
      first = await recordTape(file, run(server.url))
    }
    expect(await replayTape(file, run(nowhere))).toEqual(first)
  })

  it("a rate limit is waited for and tried again, in no time", async () => {
    const file = newFile()
    const run = (url: string) => async () => {
      for (let waitMs = 100; ; waitMs *= 2) {
        const answer: unknown = await postJson(`${url}/v1`, { n: 1 }).catch((error: unknown) => error)
        if (!AgentScopeError.is(answer)) return answer
        await ambient().sleep(Number(answer.details["retryAfterMs"] ?? waitMs))
      }
    }
    let first: unknown
    {
      await using server = await serve((body, response, nth) => {
        if (nth === 3) return void echo(body, response, nth, "")
        response.writeHead(429, nth === 2 ? { "retry-after": "1" } : {}).end('{"error":{"message":"slow down"}}')
      })
      first = await recordTape(file, run(server.url))
      expect(server.requests).toBe(3)
    }
    const began = Date.now()
    expect(await replayTape(file, run(nowhere))).toEqual(first)
    expect(Date.now() - began).toBeLessThan(300)
  })

  it("a stream that the program aborts is aborted again, after the same events", async () => {
    const file = newFile()
    const run = (url: string) => async () => {
      const controller = new AbortController()
      const heard: string[] = []
      const onEvent = ({ data }: { readonly data: string }) => {
        heard.push(data)
        if (heard.length === 3) controller.abort(new Error("enough"))
      }
      const failure = await postSse(`${url}/sse`, { n: 1 }, onEvent, { signal: controller.signal }).catch(
        (error: unknown) => String(error),
      )
      return { heard, failure }
    }
    let first: unknown
    {
      await using server = await serve(async (_, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" })
        for (let i = 0; i < 3; i++) {
          response.write(`data: ${i}\n\n`)
          await new Promise((resolve) => setTimeout(resolve, 10))
        }
      })
      first = await recordTape(file, run(server.url))
    }
    expect(first).toMatchObject({ heard: ["0", "1", "2"], failure: expect.stringContaining("was aborted") as unknown })
    expect(await replayTape(file, run(nowhere))).toMatchObject({
      heard: ["0", "1", "2"],
      failure: expect.stringContaining("was aborted") as unknown,
    })
  })

  it("an answer that stalls times out again, and one that nobody gives up any more is told", async () => {
    const file = newFile()
    const run = (url: string, timeoutMs: number) => () => postJson(`${url}/v1`, {}, { timeoutMs }).catch(codeOf)
    {
      await using server = await serve((_, response) => void response.writeHead(200).write("{"))
      expect(await recordTape(file, run(server.url, 80))).toBe("timeout")
    }
    expect(await replayTape(file, run(nowhere, 80))).toBe("timeout")
    const { code, message } = await failureOf(replayTape(file, run(nowhere, 60_000)))
    expect(code).toBe("tape_diverged")
    expect(message).toContain("POST /v1 was given up here")
  })

  it("failures of the network and bodies that break are replayed as they were", async () => {
    const file = newFile()
    const run = (url: string) => async () => {
      const failures: unknown[] = []
      for (const path of [nowhere, `${url}/breaks`]) {
        await postJson(path, {}).catch((error: unknown) => failures.push((error as AgentScopeError).toJSON()))
      }
      return failures
    }
    let first: unknown
    {
      await using server = await serve((_, response) => {
        response.writeHead(200, { "content-length": 100 }).write("{")
        setTimeout(() => response.destroy(), 20)
      })
      first = await recordTape(file, run(server.url))
      expect(first).toMatchObject([{ code: "network" }, { code: "network" }])
      expect(await replayTape(file, run(server.url))).toEqual(first)
    }
  })

  it("a fetch of the user's own is recorded as Node's client is, and not called by a replay", async () => {
    const file = newFile()
    let calls = 0
    const fetch: typeof globalThis.fetch = () => {
      calls++
      return Promise.resolve(Response.json({ own: true }))
    }
    const run = () => postJson("https://api.example/v1", { n: 1 }, { fetch })
    expect(await recordTape(file, run)).toEqual({ own: true })
    expect(await replayTape(file, run)).toEqual({ own: true })
    expect(calls).toBe(1)
  })

  it("forms, blobs and streams that are sent are compared by what is in them", async () => {
    const file = newFile()
    const run = (url: string, word: string) => async () => {
      const fetch = ambient().transport?.(globalThis.fetch) ?? globalThis.fetch
      const form = new FormData()
      form.set("model", "whisper")
      form.set("file", new Blob([Uint8Array.of(1, 2, 255)]), "a.wav")
      const bodies = [form, new Blob([word]), new Blob([word]).stream()]
      const init = { method: "POST", duplex: "half" } as const
      return Promise.all(bodies.map(async (body) => (await fetch(`${url}/x`, { ...init, body })).status))
    }
    {
      await using server = await serve((body, response) => void response.writeHead(body ? 200 : 400).end())
      expect(await recordTape(file, run(server.url, "hello"))).toEqual([200, 200, 200])
    }
    expect(await replayTape(file, run(nowhere, "hello"))).toEqual([200, 200, 200])
    expect((await failureOf(replayTape(file, run(nowhere, "hallo")))).message).toContain('the tape has "hello"')
  })
})

describe("what differs", () => {
  let file: string
  const ask = (url: string, bodies: readonly unknown[], path = "/v1") =>
    bodies.reduce<Promise<unknown[]>>(
      async (before, body) => [...(await before), await postJson(url + path, body)],
      Promise.resolve([]),
    )
  const one = { model: "m", messages: [{ role: "user", content: "one" }] }
  const two = { model: "m", messages: [{ role: "user", content: "two" }] }
  beforeAll(async () => {
    file = newFile()
    await using server = await serve(echo)
    await recordTape(file, () => ask(server.url, [one, two]))
  })

  it.each([
    [
      "a changed text",
      [one, { ...two, messages: [{ role: "user", content: "tow" }] }],
      'messages[0].content: the tape has "two", the run "tow"',
    ],
    ["another order", [two, one], 'messages[0].content: the tape has "one", the run "two"'],
    ["one more", [one, two, two], "on the tape: no more requests"],
    ["one less", [one], "in this run: it was not asked for"],
    ["a field more", [{ ...one, top: 1 }, two], "top: the tape has nothing, the run 1"],
  ])("%s is told with the event and both values", async (_name, bodies, text) => {
    const error = await failureOf(replayTape(file, () => ask(nowhere, bodies)))
    expect(error.code).toBe("tape_diverged")
    expect(error.message).toContain(text)
    expect(error.message).toContain(file)
  })

  it("another path is told, another host is not, and fields may stand in another order", async () => {
    const error = await failureOf(replayTape(file, () => ask(nowhere, [one, two], "/v2")))
    expect(error.message).toContain("on the tape: POST /v1\n  in this run: POST /v2")
    const turned = { messages: one.messages, model: "m" }
    expect(await replayTape(file, () => ask("https://elsewhere.example", [turned, two]))).toHaveLength(2)
  })

  it("is told even where the program swallows the error, as the first of what follows", async () => {
    const swallow = async () => {
      for (const body of [two, { no: 1 }, one]) await ask(nowhere, [body]).catch(() => {})
    }
    const error = await failureOf(replayTape(file, swallow))
    expect(error.message).toContain('the run "two"')
  })

  it("leniently goes on with the nearest answer that is left, and reports", async () => {
    let report: TapeReport | undefined
    const onReport = (given: TapeReport) => (report = given)
    const changed = { ...two, temperature: 1 }
    const answers = await replayTape(file, () => ask(nowhere, [changed, one]), { mode: "lenient", onReport })
    expect(answers).toMatchObject([{ nth: 2 }, { nth: 1 }])
    expect(report).toMatchObject({ recorded: 2, used: 2, divergences: [{ kind: "request" }] })
    const error = await failureOf(replayTape(file, () => ask(nowhere, [one, one, one]), { mode: "lenient" }))
    expect(error.code).toBe("tape_diverged")
  })

  it("what ran beside each other may come in any order, what came after the other may not", async () => {
    const both = newFile()
    const run = (url: string, bodies: readonly unknown[]) => () =>
      Promise.all(bodies.map((body) => postJson(`${url}/v1`, body)))
    {
      await using server = await serve(async (body, response, nth) => {
        await new Promise((resolve) => setTimeout(resolve, 10 * nth))
        await echo(body, response, nth, "")
      })
      await recordTape(both, run(server.url, [one, two]))
    }
    const [second, first] = await replayTape(both, run(nowhere, [two, one]))
    expect([first, second]).toMatchObject([{ body: one }, { body: two }])
  })

  it("an error of the run's own is thrown as it is", async () => {
    const own = new TypeError("mine")
    await expect(replayTape(file, () => Promise.reject(own))).rejects.toBe(own)
  })

  it("a matcher tells the same", async () => {
    const good = await toMatchTape(() => ask(nowhere, [one, two]), file)
    expect(good.pass).toBe(true)
    const bad = await toMatchTape(() => ask(nowhere, [one, { ...two, model: "n" }]), file)
    expect([bad.pass, bad.message()]).toEqual([false, expect.stringContaining('model: the tape has "m", the run "n"')])
    expect((await toMatchTape(() => Promise.reject(new Error("mine")), file)).message()).toContain("mine")
    await expect(toMatchTape("text", file)).rejects.toMatchObject({ code: "invalid_option" })
    await expect(toMatchTape(() => {}, newFile())).rejects.toMatchObject({ code: "tape_missing" })
  })
})

describe("tapes beside each other", () => {
  it("hear of their own run alone, and are refused inside of each other", async () => {
    const [a, b] = [newFile(), newFile()]
    await using server = await serve(echo)
    const run = (n: number) => async () => [await postJson(`${server.url}/v1`, { n }), newId()]
    const first = await Promise.all([recordTape(a, run(1)), recordTape(b, run(2))])
    const [again, outside] = await Promise.all([
      Promise.all([replayTape(a, run(1)), replayTape(b, run(2))]),
      Promise.resolve(newId()),
    ])
    expect(again).toEqual(first)
    expect(first.flat()).not.toContain(outside)
    expect(ambient().transport).toBeUndefined()
    const nested = replayTape(a, async () => [await recordTape(b, run(1)), newId()])
    expect((await failureOf(nested)).code).toBe("tape_busy")
  })

  it("are refused where the runtime cannot tell them apart, which replays one at a time", async () => {
    const restore = replacePlaces(singlePlace())
    try {
      const file = newFile()
      await using server = await serve(echo)
      let go = (): void => {}
      const gate = new Promise<void>((resolve) => (go = resolve))
      const run = async () => {
        const answers = await Promise.all([1, 2].map((n) => postJson(`${server.url}/v1`, { n })))
        await gate
        return [...answers, newId()]
      }
      let begun = (): void => {}
      const hasBegun = new Promise<void>((resolve) => (begun = resolve))
      const first = recordTape(file, () => {
        begun()
        return run()
      })
      await hasBegun
      expect((await failureOf(recordTape(newFile(), run))).code).toBe("tape_busy")
      go()
      const recorded = await first
      expect(await replayTape(file, run)).toEqual(recorded)
      expect(ambient().transport).toBeUndefined()
    } finally {
      restore()
    }
  })

  it("what a run leaves running is in the real world again once the run is over", async () => {
    const file = newFile()
    await using server = await serve(echo)
    let late: Promise<unknown> | undefined
    let go = (): void => {}
    const run = () => {
      const gate = new Promise<void>((resolve) => (go = resolve))
      late = gate.then(async () => [await postJson(`${server.url}/v1`, { n: 1 }), newId()])
      return Promise.resolve(1)
    }
    for (const tape of [recordTape, replayTape]) {
      await tape(file, run)
      go()
      await late
    }
    expect(linesOf(file).map(({ type }) => type)).toEqual(["end"])
    expect(server.requests).toBe(2)
  })
})
