import { scriptedServer } from "@agentscope-ts/fixtures"
import { expect, it } from "vitest"
import { OpenAISpeechModel, OpenAITranscriptionModel } from "./index.ts"

const at = (url: string) => ({ apiKey: "k", baseURL: `${url}/v1`, maxRetries: 0 })
const audio = { type: "audio", source: { type: "base64", mediaType: "audio/wav", data: "UklGRgAAAABXQVZF" } } as const

it("what is said goes to the address that was given and to no other", async () => {
  await using other = await scriptedServer((response) => response.end("{}"))
  await using server = await scriptedServer((response) =>
    response.writeHead(307, { location: `${other.url}/stolen` }).end(),
  )
  const speech = new OpenAISpeechModel({ model: "tts-1", ...at(server.url) })
  await expect(speech.synthesize({ text: "secret" })).rejects.toMatchObject({ name: "AgentScopeError" })
  expect([server.bodies.length, other.bodies.length]).toEqual([1, 0])
})

it.each([
  ["text/html", "<!DOCTYPE html><html>Log in</html>"],
  ["audio/mpeg", "<html>Log in</html>"],
  ["audio/mpeg", ""],
])("a page in the place of an answer is none (%s %j)", async (type, body) => {
  await using server = await scriptedServer((response) => response.writeHead(200, { "content-type": type }).end(body))
  const speech = new OpenAISpeechModel({ model: "tts-1", ...at(server.url) })
  await expect(speech.synthesize({ text: "Hi" })).rejects.toMatchObject({ code: "malformed_response" })
  if (body === "") return
  const written = new OpenAITranscriptionModel({ model: "whisper-1", ...at(server.url) })
  await expect(written.transcribe({ audio })).rejects.toMatchObject({ code: "malformed_response" })
})

it("an answer without an end is given up", async () => {
  let sent = 0
  const endless = () =>
    new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(1 << 20)),
      start: () => void sent++,
    })
  const fetch = () => Promise.resolve(new Response(endless(), { headers: { "content-type": "audio/mpeg" } }))
  const speech = new OpenAISpeechModel({ model: "tts-1", apiKey: "k", fetch, maxRetries: 0 })
  await expect(speech.synthesize({ text: "Hi" })).rejects.toMatchObject({ code: "malformed_response" })
  expect(sent).toBe(1)
})
