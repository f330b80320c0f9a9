import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { scriptedServer, type ScriptedServer } from "@agentscope-ts/fixtures"
import type { AudioBlock } from "@agentscope-ts/message"
import { describe, expect, it } from "vitest"
import { OpenAITranscriptionModel } from "./openai-transcription-model.ts"

const wav = Buffer.from(`RIFF${"\0".repeat(4)}WAVEfmt ${"\0".repeat(32)}`)
const sound: AudioBlock = {
  type: "audio",
  source: { type: "base64", mediaType: "audio/wav", data: wav.toString("base64") },
}

const answering = (answer: unknown) =>
  scriptedServer((response) => {
    response.setHeader("content-type", "application/json")
    response.end(JSON.stringify(answer))
  })

const modelOn = (server: ScriptedServer) =>
  new OpenAITranscriptionModel({ model: "whisper-1", apiKey: "k", baseURL: `${server.url}/v1`, maxRetries: 0 })

describe("OpenAITranscriptionModel", () => {
  it("writes down a block, a file and what a URL points to", async () => {
    await using web = await scriptedServer((response) => {
      response.setHeader("content-type", "audio/mpeg")
      response.end(Buffer.from("ID3 sound"))
    })
    await using server = await answering({
      text: "Hello there.",
      usage: { type: "tokens", input_tokens: 14, output_tokens: 5, total_tokens: 19 },
    })
    const dir = mkdtempSync(join(tmpdir(), "agentscope-audio-"))
    const path = join(dir, "voice.wav")
    writeFileSync(path, wav)
    const model = modelOn(server)
    try {
      for (const audio of [sound, path, `file://${path}`, `data:audio/wav;base64,${wav.toString("base64")}`]) {
        const { text, usage } = await model.transcribe({ audio, language: "en", prompt: "Names: Ann." })
        expect(text).toBe("Hello there.")
        expect(usage).toEqual({ inputTokens: 14, outputTokens: 5, timeMs: expect.any(Number) as number })
      }
    } finally {
      rmSync(dir, { recursive: true })
    }
    await model.transcribe({ audio: `${web.url}/voice` })
    expect(server.heads[0]?.url).toBe("/v1/audio/transcriptions")
    for (const body of server.bodies.slice(0, 4)) {
      expect(body).toMatch(/filename="audio\.wav"\r\nContent-Type: audio\/wav/)
      expect(body).toMatch(/name="model"\r\n\r\nwhisper-1/)
      expect(body).toMatch(/name="language"\r\n\r\nen/)
      expect(body).toMatch(/name="prompt"\r\n\r\nNames: Ann\./)
      expect(body).toMatch(/name="response_format"\r\n\r\njson/)
    }
    expect(server.bodies[4]).toMatch(/filename="audio\.mp3"/)
  })

  it("tells when what was said, where it is asked for", async () => {
    await using server = await answering({
      task: "transcribe",
      language: "english",
      duration: 1.5,
      text: "Hello there.",
      words: [
        { word: "Hello", start: 0, end: 0.5 },
        { word: "there", start: 0.5, end: 1 },
      ],
    })
    expect(await modelOn(server).transcribe({ audio: sound, timestamps: "word" })).toEqual({
      text: "Hello there.",
      language: "english",
      durationSeconds: 1.5,
      segments: [
        { text: "Hello", start: 0, end: 0.5 },
        { text: "there", start: 0.5, end: 1 },
      ],
      usage: { timeMs: expect.any(Number) as number },
    })
    expect(server.bodies[0]).toMatch(/name="response_format"\r\n\r\nverbose_json/)
    expect(server.bodies[0]).toMatch(/name="timestamp_granularities\[\]"\r\n\r\nword/)
  })

  it("translates", async () => {
    await using server = await answering({ text: "Good day." })
    expect((await modelOn(server).translate({ audio: sound })).text).toBe("Good day.")
    expect(server.heads[0]?.url).toBe("/v1/audio/translations")
  })

  it("says what cannot be read, and what the provider refuses", async () => {
    await using server = await scriptedServer((response) => {
      response.statusCode = 400
      response.setHeader("content-type", "application/json")
      response.end(
        JSON.stringify({ error: { message: "Audio file might be corrupted", type: "invalid_request_error" } }),
      )
    })
    const model = modelOn(server)
    await expect(model.transcribe({ audio: "/no/such/file.wav" })).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining("no such file") as string,
    })
    expect(server.bodies).toHaveLength(0)
    await expect(model.transcribe({ audio: sound })).rejects.toMatchObject({ code: "invalid_request" })
    await using empty = await answering({})
    await expect(modelOn(empty).transcribe({ audio: sound })).rejects.toMatchObject({ code: "malformed_response" })
  })
})
