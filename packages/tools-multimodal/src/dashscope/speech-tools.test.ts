import { until } from "@agentscope-ts/fixtures"
import { replaceAmbient, textOf } from "@agentscope-ts/message"
import { describe, expect, onTestFinished, test } from "vitest"
import { call, noWaiting } from "../fixtures/call.ts"
import { folder, png, wav } from "../fixtures/media.ts"
import { service } from "../fixtures/service.ts"
import { event, mute, socketService } from "../fixtures/sound-socket.ts"
import { dashscopeAudioToText } from "./audio-to-text.ts"
import { dashscopeTextToAudio } from "./text-to-audio.ts"

const apiKey = "sk-very-secret-key"
const at = (url: string) => ({ apiKey, baseURL: `${url}/api/v1` })
const data = (bytes: Buffer, type = "audio/wav") => `data:${type};base64,${bytes.toString("base64")}`

const sentence = (text: string, more: object = {}) => ({
  output: {
    sentence: { begin_time: 0, end_time: 920, text, heartbeat: false, sentence_end: true, words: [], ...more },
  },
  usage: { duration: 3 },
})

describe("dashscope_text_to_audio", () => {
  test("speaks with Qwen-TTS", async () => {
    const audio = { data: "", url: "http://store/a.wav?Expires=1", id: "audio_1", expires_at: 1764600000 }
    await using dashscope = await service(() => ({
      json: { output: { finish_reason: "stop", audio }, usage: { input_tokens: 9, output_tokens: 40 } },
    }))
    const result = await call(dashscopeTextToAudio(at(dashscope.url)), { text: "Ni hao" })
    expect(result.output).toEqual([
      { type: "audio", source: { type: "url", url: "http://store/a.wav?Expires=1", mediaType: "audio/wav" } },
    ])
    expect(dashscope.got).toMatchObject([
      {
        path: "/api/v1/services/aigc/multimodal-generation/generation",
        headers: { authorization: `Bearer ${apiKey}` },
      },
    ])
    expect(dashscope.got[0]?.body).toEqual({
      model: "qwen3-tts-flash",
      input: { text: "Ni hao", voice: "Cherry", language_type: "Chinese" },
    })
  })

  test("takes the bytes where there is no URL", async () => {
    await using dashscope = await service(() => ({ json: { output: { audio: { data: "UklGRg==", url: "" } } } }))
    expect(await dashscopeTextToAudio(at(dashscope.url)).run({ text: "Hi", voice: "Ethan" })).toEqual([
      { type: "audio", source: { type: "base64", mediaType: "audio/wav", data: "UklGRg==" } },
    ])
  })

  test.each([[{ output: {} }], [{ output: { audio: { url: "x" } } }], ["text"]])("%j is malformed", async (json) => {
    await using dashscope = await service(() => ({ json }))
    const result = await call(dashscopeTextToAudio(at(dashscope.url)), { text: "Hi" })
    expect(result.metadata).toMatchObject({ error: { code: "malformed_response" } })
  })

  test("speaks with Sambert over a websocket", async () => {
    await using dashscope = await socketService((said, socket) => {
      socket.send(event(said, "task-started"))
      socket.send(Buffer.from("RIFF"))
      socket.send(event(said, "result-generated", { output: {} }))
      socket.send(Buffer.from("more"))
      socket.send(event(said, "task-finished", { output: {}, usage: { characters: 2 } }))
    })
    const tool = dashscopeTextToAudio({ apiKey, baseURL: dashscope.url })
    const result = await call(tool, { text: "Hi", model: "sambert-zhichu-v1", sample_rate: 16000 })
    expect(result.output).toEqual([
      {
        type: "audio",
        source: { type: "base64", mediaType: "audio/wav", data: Buffer.from("RIFFmore").toString("base64") },
      },
    ])
    expect(dashscope.heads[0]?.url).toBe("/api-ws/v1/inference")
    expect(dashscope.heads[0]?.headers["authorization"]).toBe(`Bearer ${apiKey}`)
    expect(dashscope.said).toEqual([
      {
        header: { action: "run-task", task_id: expect.any(String) as string, streaming: "out" },
        payload: {
          task_group: "audio",
          task: "tts",
          function: "SpeechSynthesizer",
          model: "sambert-zhichu-v1",
          parameters: { text_type: "PlainText", format: "wav", sample_rate: 16000 },
          input: { text: "Hi" },
        },
      },
    ])
    await until(() => dashscope.open() === 0)
  })

  test.each([
    [{ text: "" }],
    [{ text: "\t" }],
    [{ text: "Hi", sample_rate: 1 }],
    [{ text: "Hi", model: "cosyvoice-v2" }],
  ])("%j is refused before anything is sent", async (input) => {
    await using dashscope = await service(() => ({ json: {} }))
    expect((await call(dashscopeTextToAudio(at(dashscope.url)), input)).state).toBe("error")
    expect(dashscope.got).toHaveLength(0)
  })
})

describe("dashscope_audio_to_text over a websocket", () => {
  const hears = (...payloads: readonly object[]) =>
    socketService((said, socket) => {
      if (said.header.action === "run-task") return socket.send(event(said, "task-started"))
      for (const payload of payloads) socket.send(event(said, "result-generated", payload))
      socket.send(event(said, "task-finished", { output: {} }))
    })

  test("sends the sound once the task has started, and joins the sentences that are ended", async () => {
    await using dashscope = await hears(
      sentence("Hello", { end_time: null, sentence_end: false }),
      sentence("Hello world.", { begin_time: 170 }),
      sentence("", { heartbeat: true }),
      sentence("How are you?", { begin_time: 1000, end_time: 2500 }),
    )
    const sound = wav(8000, 20_000)
    const tool = dashscopeAudioToText({ apiKey, baseURL: dashscope.url })
    const result = await call(tool, { audio_url: `${folder({ "a.wav": sound })}/a.wav` })
    expect(textOf(result)).toBe("Hello world. How are you?")
    expect(result.metadata).toEqual({
      model: "paraformer-realtime-v2",
      durationSeconds: 3,
      segments: [
        { text: "Hello world.", start: 0.17, end: 0.92 },
        { text: "How are you?", start: 1, end: 2.5 },
      ],
    })
    const [run, finish] = dashscope.said
    expect(run).toEqual({
      header: { action: "run-task", task_id: expect.stringMatching(/^[\w-]{16}$/) as string, streaming: "duplex" },
      payload: {
        task_group: "audio",
        task: "asr",
        function: "recognition",
        model: "paraformer-realtime-v2",
        // the file's own rate, not the parameter's
        parameters: { format: "wav", sample_rate: 8000 },
        input: {},
      },
    })
    expect(finish).toEqual({
      header: { action: "finish-task", task_id: run?.header.task_id, streaming: "duplex" },
      payload: { input: {} },
    })
    expect(dashscope.sound()).toEqual(sound)
    expect(dashscope.heads[0]?.headers["authorization"]).toBe(`Bearer ${apiKey}`)
    await until(() => dashscope.open() === 0)
  })

  test("fetches what is at a URL, and joins Chinese sentences without blanks", async () => {
    await using web = await service(() => ({
      text: Buffer.from("ID3sound"),
      headers: { "content-type": "audio/mpeg" },
    }))
    await using dashscope = await hears(sentence("你好。"), sentence("世界。"))
    const tool = dashscopeAudioToText({ apiKey, baseURL: dashscope.url })
    expect(await tool.run({ audio_url: `${web.url}/a`, sample_rate: 44100 })).toBe("你好。世界。")
    expect(dashscope.said[0]?.payload["parameters"]).toEqual({ format: "mp3", sample_rate: 44100 })
    expect(web.got[0]?.headers["authorization"]).toBeUndefined()
  })

  test("says so when nobody speaks", async () => {
    await using dashscope = await hears()
    const tool = dashscopeAudioToText({ apiKey, baseURL: dashscope.url })
    expect(await tool.run({ audio_url: data(wav(16_000)) })).toBe("Nothing is said in this recording.")
  })

  test.each([
    ["task-failed", "CLIENT_ERROR", "request timeout after 23 seconds.", "request timeout after 23 seconds."],
    ["task-failed", "InvalidParameter", "format is wrong", "format is wrong"],
  ])("%s %s is an error", async (name, error_code, error_message, text) => {
    await using dashscope = await socketService((said, socket) =>
      socket.send(event(said, name, {}, { error_code, error_message })),
    )
    const result = await call(dashscopeAudioToText({ apiKey, baseURL: dashscope.url }), {
      audio_url: data(wav(16_000)),
    })
    expect(result.state).toBe("error")
    expect(textOf(result)).toContain(text)
    await until(() => dashscope.open() === 0)
  })

  test("a message that is no JSON is malformed, and one of another kind is nothing", async () => {
    await using garbage = await socketService((_said, socket) => socket.send("{"))
    const audio_url = data(wav(16_000))
    const result = await call(dashscopeAudioToText({ apiKey, baseURL: garbage.url }), { audio_url })
    expect(result.metadata).toMatchObject({ error: { code: "malformed_response" } })
    await using chatty = await socketService((said, socket) => {
      for (const odd of ["null", "7", "[]", '{"header":null}', event(said, "something-new")]) socket.send(odd)
      socket.send(event(said, "task-finished"))
    })
    expect((await call(dashscopeAudioToText({ apiKey, baseURL: chatty.url }), { audio_url })).state).toBe("success")
  })

  test("a connection that is refused, closed or cut is an error, without the key", async () => {
    const audio_url = data(wav(16_000))
    await using refuses = await socketService(() => {}, true)
    await using closes = await socketService((_said, socket) => socket.close(1007, "too busy"))
    await using cuts = await socketService((_said, socket) => socket.terminate())
    const texts = []
    const refused = await call(dashscopeAudioToText({ apiKey, baseURL: refuses.url }), { audio_url })
    expect(refused.metadata).toMatchObject({ error: { code: "authentication", retryable: false } })
    for (const { url } of [closes, cuts, { url: "http://127.0.0.1:1/api/v1" }]) {
      const result = await call(dashscopeAudioToText({ apiKey, baseURL: url }), { audio_url })
      expect(result.metadata).toMatchObject({ error: { code: "network" } })
      expect(JSON.stringify(result)).not.toContain(apiKey)
      texts.push(textOf(result))
    }
    expect(texts[2]).toContain("could not be made: check the network, baseURL and the API key")
    expect(texts[0]).toContain("closed before paraformer-realtime-v2 was done: too busy")
  })

  test("an abort ends it at once and closes the connection", async () => {
    const abort = new AbortController()
    await using dashscope = await socketService(() => abort.abort())
    const tool = dashscopeAudioToText({ apiKey, baseURL: dashscope.url })
    const result = await call(tool, { audio_url: data(wav(16_000)) }, { signal: abort.signal })
    expect(result.state).toBe("interrupted")
    await until(() => dashscope.open() === 0)
  })

  test("an abort ends the connection also where the other side never says goodbye", async () => {
    const abort = new AbortController()
    let isOver = false
    await using dashscope = await mute((socket) => {
      socket.once("data", () => abort.abort())
      socket.on("end", () => (isOver = true))
    })
    const tool = dashscopeAudioToText({ apiKey, baseURL: dashscope.url })
    await call(tool, { audio_url: data(wav(16_000)) }, { signal: abort.signal })
    await until(() => isOver)
  })

  test("silence for a minute ends it", async () => {
    await using dashscope = await socketService(() => {})
    const waits: number[] = []
    const restore = replaceAmbient({
      sleep: async (ms) => {
        waits.push(ms)
        await until(() => dashscope.said.length > 0)
      },
    })
    onTestFinished(restore)
    const result = await call(dashscopeAudioToText({ apiKey, baseURL: dashscope.url }), {
      audio_url: data(wav(16_000)),
    })
    expect(result.metadata).toMatchObject({ error: { code: "timeout" } })
    expect(textOf(result)).toContain("sent nothing for 60 s")
    expect(waits).toEqual([60_000])
  })

  test.each([
    ["/does/not/exist.wav", "no such file"],
    [data(png, "image/png"), "has to be an audio"],
    [data(Buffer.from("fLaCxxxx"), "audio/flac"), "hears no audio/flac"],
    ["oss://dashscope/a.wav", "cannot be had from an oss: URL"],
  ])("%s is refused before anything is sent", async (audio_url, text) => {
    await using dashscope = await socketService(() => {})
    const result = await call(dashscopeAudioToText({ apiKey, baseURL: dashscope.url }), { audio_url })
    expect(textOf(result)).toContain(text)
    expect(dashscope.heads).toHaveLength(0)
  })
})

describe("dashscope_audio_to_text of a recorded file", () => {
  const transcripts = [
    { channel_id: 0, text: "Hello.", sentences: [{ begin_time: 100, end_time: 900, text: "Hello." }] },
  ]

  test("makes a task over its URL, and reads the transcription where it lies", async () => {
    noWaiting()
    await using dashscope = await service(({ method, path }) => {
      if (method === "POST") return { json: { output: { task_id: "t-1", task_status: "PENDING" } } }
      if (path === "/transcription.json")
        return { json: { properties: { original_duration_in_milliseconds: 1500 }, transcripts } }
      const result = {
        file_url: "u",
        transcription_url: `${dashscope.url}/transcription.json?Signature=x`,
        subtask_status: "SUCCEEDED",
      }
      return { json: { output: { task_id: "t-1", task_status: "SUCCEEDED", results: [result] } } }
    })
    const tool = dashscopeAudioToText(at(dashscope.url))
    const result = await call(tool, { audio_url: "https://host/a.mp3", model: "paraformer-v2" })
    expect(textOf(result)).toBe("Hello.")
    expect(result.metadata).toEqual({
      model: "paraformer-v2",
      durationSeconds: 1.5,
      segments: [{ text: "Hello.", start: 0.1, end: 0.9 }],
    })
    expect(dashscope.got[0]).toMatchObject({
      path: "/api/v1/services/audio/asr/transcription",
      headers: { "x-dashscope-async": "enable" },
      body: { model: "paraformer-v2", input: { file_urls: ["https://host/a.mp3"] } },
    })
    expect(dashscope.got.at(-1)?.headers["authorization"]).toBeUndefined()
  })

  test("tells why there is none", async () => {
    noWaiting()
    const results = [
      { file_url: "u", code: "InvalidFile.DownloadFailed", message: "cannot download", subtask_status: "FAILED" },
    ]
    await using dashscope = await service(({ method }) => ({
      json: { output: { task_id: "t-1", ...(method === "POST" ? {} : { task_status: "SUCCEEDED", results }) } },
    }))
    const result = await call(dashscopeAudioToText({ ...at(dashscope.url), model: "fun-asr" }), {
      audio_url: "https://host/a.mp3",
    })
    expect(textOf(result)).toContain("The task t-1 of fun-asr gave no text: cannot download")
  })

  test("is heard by chat with models that do", async () => {
    const message = { role: "assistant", content: [{ text: "Hello." }] }
    await using dashscope = await service(() => ({
      json: { output: { choices: [{ finish_reason: "stop", message }] } },
    }))
    const tool = dashscopeAudioToText({ ...at(dashscope.url), model: "qwen3-asr-flash" })
    const audio_url = data(wav(16_000))
    expect(await tool.run({ audio_url })).toBe("Hello.")
    expect(dashscope.got[0]).toMatchObject({
      path: "/api/v1/services/aigc/multimodal-generation/generation",
      body: { model: "qwen3-asr-flash", input: { messages: [{ role: "user", content: [{ audio: audio_url }] }] } },
    })
  })
})
