import { replaceAmbient } from "@agentscope-ts/message"
import { describe, expect, it } from "vitest"
import { postJson, postNdjson, postSse, type SseEvent } from "../wire.ts"

/** Answers from memory, and keeps what it was asked. */
function memory(body: string, init: ResponseInit = {}) {
  const asked: { url: string; init: RequestInit }[] = []
  const fetch: typeof globalThis.fetch = (url, request = {}) => {
    asked.push({ url: url as string, init: request })
    return Promise.resolve(new Response(body, init))
  }
  return { fetch, asked }
}

describe("postJson", () => {
  it("posts JSON and gives the parsed answer", async () => {
    const { fetch, asked } = memory('\ufeff{"ok":[1]}')
    expect(await postJson("https://h/x", { a: "😀".slice(0, 1) }, { fetch, headers: { "X-Key": "k" } })).toEqual({
      ok: [1],
    })
    expect(asked[0]?.url).toBe("https://h/x")
    expect(asked[0]?.init).toMatchObject({
      method: "POST",
      body: '{"a":"\\ufffd"}',
      headers: { "x-key": "k", "content-type": "application/json", accept: "application/json" },
    })
  })

  it("shows an answer that is no JSON, and knows a web page", async () => {
    const { fetch } = memory("<html>sign in</html>")
    await expect(postJson("https://h/x?key=s", {}, { fetch })).rejects.toMatchObject({
      code: "malformed_response",
      message:
        'The answer of https://h/x is not JSON: "<html>sign in</html>". It looks like a web page: check baseURL and any proxy in between.',
    })
    await expect(postJson("https://h/x", {}, { fetch: memory("").fetch })).rejects.toThrow(
      "is empty: JSON was expected",
    )
  })

  it("makes what a fetch throws a network error with its cause", async () => {
    const cause = new TypeError("fetch failed", {
      cause: Object.assign(new Error("connect"), { code: "ECONNREFUSED" }),
    })
    const fetch = () => Promise.reject(cause)
    await expect(postJson("https://h/x", {}, { fetch })).rejects.toMatchObject({
      code: "network",
      cause,
      details: { code: "ECONNREFUSED" },
    })
  })

  it("ends when aborted even if the fetch does not hear it", async () => {
    const controller = new AbortController()
    const result = postJson("https://h/x", {}, { fetch: () => new Promise(() => {}), signal: controller.signal })
    controller.abort()
    await expect(result).rejects.toMatchObject({ code: "aborted" })
  })
})

describe("postSse", () => {
  it("hands over each event but the mark of the end", async () => {
    const { fetch } = memory("event: a\ndata: 1\n\ndata: 2\n\ndata: [DONE]\n\n")
    const events: SseEvent[] = []
    await postSse("https://h/x", {}, (event) => events.push(event), { fetch })
    expect(events).toEqual([{ event: "a", data: "1" }, { data: "2" }])
  })

  it("rejects with what the listener throws", async () => {
    const mine = new Error("mine")
    const listener = () => {
      throw mine
    }
    await expect(postSse("https://h/x", {}, listener, { fetch: memory("data: 1\n\n").fetch })).rejects.toBe(mine)
  })
})

describe("postNdjson", () => {
  it("hands over each value", async () => {
    const lines: unknown[] = []
    await postNdjson("https://h/x", {}, (line) => lines.push(line), { fetch: memory('{"a":1}\n{"a":2}').fetch })
    expect(lines).toEqual([{ a: 1 }, { a: 2 }])
  })
})

it("sends through the tape where there is one, around the given fetch", async () => {
  const { fetch } = memory('{"from":"memory"}')
  const wrapped: unknown[] = []
  const restore = replaceAmbient({
    transport: (inner) => {
      wrapped.push(inner)
      return () => inner("https://taped/").then(() => new Response('{"from":"tape"}'))
    },
  })
  try {
    expect(await postJson("https://h/x", {}, { fetch })).toEqual({ from: "tape" })
    expect(wrapped).toEqual([fetch])
  } finally {
    restore()
  }
})
