import { expect, test } from "vitest"
import { eventResponse, sdkResponse } from "./event-response.ts"

test("an SDK's events are an event stream again, and are given up when nobody reads on", async () => {
  let closed = false
  async function* events() {
    try {
      yield { type: "a", text: "é" }
      yield { text: "b" } as { type?: string; text: string }
    } finally {
      closed = true
    }
  }
  expect(await eventResponse(events()).text()).toBe('event: a\ndata: {"type":"a","text":"é"}\n\ndata: {"text":"b"}\n\n')
  closed = false
  const reader = eventResponse(events()).body?.getReader()
  await reader?.read()
  await reader?.cancel()
  expect(closed).toBe(true)
})

test("an SDK's raw response is read as it is, unless it is binary", async () => {
  const withResponse = async () => ({
    data: (async function* () {
      yield { type: "a" }
    })(),
  })
  const answerOf = (type: string) => ({
    asResponse: async () => new Response("raw", { headers: { "content-type": type } }),
    withResponse,
  })
  expect(await (await sdkResponse(answerOf("text/event-stream"))).text()).toBe("raw")
  expect(await (await sdkResponse(answerOf("application/vnd.amazon.eventstream"))).text()).toContain("event: a")
})
