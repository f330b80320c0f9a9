import { expect, test } from "vitest"
import { boundedAnswer } from "./bounded-answer.ts"

const answer = (pieces: readonly string[], type: string): Response =>
  boundedAnswer(
    new Response(
      new ReadableStream({
        start(controller) {
          for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece))
          controller.close()
        },
      }),
      { status: 201, headers: { "content-type": type } },
    ),
    10,
  )

test("a message that is too long breaks the answer off; each event of a stream counts for itself", async () => {
  expect(await answer(["12345", "67890"], "application/json").text()).toBe("1234567890")
  await expect(answer(["12345", "678901"], "application/json").text()).rejects.toMatchObject({
    code: "invalid_response",
  })
  const events = ["data: 1\n\n", "data: 2\r\n\r\nda", "ta: 3\n\n"]
  expect(await answer(events, "text/event-stream; charset=utf-8").text()).toBe(events.join(""))
  await expect(answer(["data: 1\n", "data: 2\n", "data: 3\n"], "text/event-stream").text()).rejects.toThrow(
    "more than 10",
  )
  expect(answer([], "text/plain").status).toBe(201)
  const empty = new Response(null, { status: 204 })
  expect(boundedAnswer(empty)).toBe(empty)
})
