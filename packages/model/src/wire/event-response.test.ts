import { expect, test } from "vitest"
import { eventResponse } from "./event-response.ts"

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
