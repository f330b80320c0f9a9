import { scriptedServer, type ScriptedServer, until } from "@agentscope-ts/fixtures"
import { describe, expect, it } from "vitest"
import { OpenAISpeechModel } from "./openai-speech-model.ts"

const modelOn = (server: ScriptedServer) =>
  new OpenAISpeechModel({ model: "gpt-4o-mini-tts", apiKey: "k", baseURL: `${server.url}/v1`, maxRetries: 0 })

describe("OpenAISpeechModel", () => {
  it("speaks a text", async () => {
    await using server = await scriptedServer((response) => {
      response.setHeader("content-type", "audio/mpeg")
      response.end(Buffer.from("ID3 sound"))
    })
    const model = modelOn(server)
    const { audio } = await model.synthesize({
      text: "Hello.",
      voice: "nova",
      speed: 1.5,
      params: { instructions: "Whisper." },
    })
    expect(audio).toEqual({
      type: "audio",
      source: { type: "base64", mediaType: "audio/mpeg", data: Buffer.from("ID3 sound").toString("base64") },
    })
    const wav = await model.synthesize({ text: "Hello.", format: "wav" })
    expect(wav.audio.source).toMatchObject({ mediaType: "audio/wav" })
    expect(server.heads[0]?.url).toBe("/v1/audio/speech")
    expect(server.bodies.map((body) => JSON.parse(body) as unknown)).toEqual([
      {
        model: "gpt-4o-mini-tts",
        input: "Hello.",
        voice: "nova",
        response_format: "mp3",
        speed: 1.5,
        instructions: "Whisper.",
      },
      { model: "gpt-4o-mini-tts", input: "Hello.", voice: "alloy", response_format: "wav" },
    ])
  })

  it("gives the sound as it comes, and ends the request when nobody listens any more", async () => {
    await using server = await scriptedServer((response) => {
      response.setHeader("content-type", "audio/pcm")
      response.write(Buffer.from("first"))
    })
    const heard: string[] = []
    for await (const bytes of modelOn(server).stream({ text: "Hello.", format: "pcm" })) {
      heard.push(Buffer.from(bytes).toString())
      break
    }
    expect(heard).toEqual(["first"])
    await until(() => server.open() === 0)
  })

  it("tells a sound that breaks off, and a signal that ends it", async () => {
    await using server = await scriptedServer((response, _, count) => {
      response.setHeader("content-type", "audio/pcm")
      response.write(Buffer.from("first"))
      if (count === 1) setImmediate(() => response.destroy())
    })
    const all = async (signal?: AbortSignal, onPiece = () => {}) => {
      for await (const _ of modelOn(server).stream({ text: "Hello.", signal })) onPiece()
    }
    await expect(all()).rejects.toMatchObject({ code: "network" })
    const controller = new AbortController()
    await expect(all(controller.signal, () => controller.abort("enough"))).rejects.toMatchObject({ code: "aborted" })
  })

  it("tells the provider's failure by our codes", async () => {
    await using server = await scriptedServer((response) => {
      response.statusCode = 429
      response.setHeader("content-type", "application/json")
      response.end(
        JSON.stringify({ error: { code: "insufficient_quota", message: "You exceeded your current quota" } }),
      )
    })
    const call = modelOn(server).synthesize({ text: "x" })
    await expect(call).rejects.toMatchObject({ code: "quota_exceeded", retryable: false })
  })
})
