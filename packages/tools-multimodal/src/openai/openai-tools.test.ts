import { scriptedServer } from "@agentscope-ts/fixtures"
import { textOf } from "@agentscope-ts/message"
import { describe, expect, test } from "vitest"
import { call } from "../fixtures/call.ts"
import { folder, png, wav } from "../fixtures/media.ts"
import { service } from "../fixtures/service.ts"
import { openaiAudioToText } from "./audio-to-text.ts"
import { dividedUrls, openaiImageToText } from "./image-to-text.ts"
import { openaiTextToAudio } from "./text-to-audio.ts"
import { openaiTextToImage } from "./text-to-image.ts"

const apiKey = "sk-very-secret-key"
const at = (url: string) => ({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 })
const data = `data:image/png;base64,${png.toString("base64")}`

describe("openai_text_to_image", () => {
  test("gives URLs, and how the prompt was changed", async () => {
    await using openai = await service(() => ({
      json: { created: 1, data: [{ url: "https://store/1.png", revised_prompt: "A red cat" }] },
    }))
    const result = await call(openaiTextToImage(at(openai.url)), { prompt: "A cat" })
    expect(result.output).toEqual([{ type: "image", source: { type: "url", url: "https://store/1.png" } }])
    expect(result.metadata).toMatchObject({ model: "dall-e-3", revisedPrompts: ["A red cat"] })
    expect(openai.got).toMatchObject([
      { method: "POST", path: "/v1/images/generations", headers: { authorization: `Bearer ${apiKey}` } },
    ])
    expect(openai.got[0]?.body).toEqual({
      model: "dall-e-3",
      prompt: "A cat",
      n: 1,
      size: "1024x1024",
      quality: "standard",
      response_format: "url",
    })
  })

  test("gives bytes, several of them, and of newer models whatever they give", async () => {
    const b64_json = png.toString("base64")
    await using openai = await service(() => ({
      json: { data: [{ b64_json }, { b64_json }], usage: { input_tokens: 5 } },
    }))
    const tool = openaiTextToImage(at(openai.url))
    const block = { type: "image", source: { type: "base64", mediaType: "image/png", data: b64_json } }
    expect(await tool.run({ prompt: "A", n: 2, model: "dall-e-2", response_format: "b64_json" })).toEqual([
      block,
      block,
    ])
    await tool.run({ prompt: "A", model: "gpt-image-1", quality: "low", size: "auto" })
    expect(openai.got.map(({ body }) => body)).toEqual([
      { model: "dall-e-2", prompt: "A", n: 2, size: "1024x1024", response_format: "b64_json" },
      { model: "gpt-image-1", prompt: "A", n: 1, size: "auto", quality: "low" },
    ])
  })

  test.each([
    [{ prompt: "" }],
    [{ prompt: " " }],
    [{ prompt: "A", n: 11 }],
    [{ prompt: "A", size: "huge" }],
    [{ prompt: "A", response_format: "png" }],
  ])("%j is refused before anything is sent", async (input) => {
    await using openai = await service(() => ({ json: {} }))
    expect((await call(openaiTextToImage(at(openai.url)), input)).state).toBe("error")
    expect(openai.got).toHaveLength(0)
  })

  test.each([
    [
      {
        status: 400,
        json: {
          error: { message: "Your request was rejected by the safety system.", code: "content_policy_violation" },
        },
      },
      "content_filtered",
    ],
    [
      { status: 401, json: { error: { message: `Incorrect API key provided: ${apiKey}`, code: "invalid_api_key" } } },
      "authentication",
    ],
    [{ status: 429, json: { error: { message: "Rate limit", code: "rate_limit_exceeded" } } }, "rate_limited"],
    [{ json: { data: [] } }, "malformed_response"],
    [{ text: "<html>" }, "malformed_response"],
  ])("%j is an error", async (answer, code) => {
    await using openai = await service(() => answer)
    const result = await call(openaiTextToImage(at(openai.url)), { prompt: "A cat" })
    expect(result.metadata).toMatchObject({ error: { code } })
    expect(JSON.stringify(result)).not.toContain(apiKey)
  })

  test("an abort ends it", async () => {
    const abort = new AbortController()
    await using openai = await service(() => {
      abort.abort()
      return undefined
    })
    const result = await call(openaiTextToImage(at(openai.url)), { prompt: "A cat" }, { signal: abort.signal })
    expect(result.state).toBe("interrupted")
  })
})

describe("a service that misbehaves", () => {
  const audio_url = `data:audio/wav;base64,${wav(8000).toString("base64")}`
  const calls = (url: string) =>
    [
      [openaiTextToImage(at(url)), { prompt: "A cat" }],
      [openaiTextToAudio(at(url)), { text: "Hi" }],
      [openaiAudioToText(at(url)), { audio_url }],
    ] as const

  test("a page or an error in the place of an answer is no answer", async () => {
    const html = { "content-type": "text/html" }
    const answers = [
      { text: "<!DOCTYPE html><html>Log in</html>", headers: html },
      { text: "<html>Log in</html>", headers: { "content-type": "audio/mpeg" } },
      { json: { error: { message: "no" } } },
      { json: {} },
      { json: null },
    ]
    for (const answer of answers) {
      await using openai = await service(() => answer)
      for (const [tool, input] of calls(openai.url)) {
        const { metadata } = await call(tool, input)
        expect(metadata, `${tool.name} ${JSON.stringify(answer)}`).toMatchObject({
          error: { code: "malformed_response" },
        })
      }
    }
    const cut = { text: "{nope", headers: { "content-type": "application/json" } }
    await using broken = await service(() => cut)
    expect((await call(openaiTextToAudio(at(broken.url)), { text: "Hi" })).state).toBe("error")
    await using silent = await service(() => ({ text: "" }))
    expect((await call(openaiTextToAudio(at(silent.url)), { text: "Hi" })).state).toBe("error")
  })

  test("redirects are not followed", async () => {
    await using other = await service(() => ({ json: { text: "stolen", data: [{ url: "https://x/1.png" }] } }))
    for (const status of [302, 307]) {
      await using openai = await service(() => ({ status, headers: { location: `${other.url}/stolen` } }))
      for (const [tool, input] of calls(openai.url)) expect((await call(tool, input)).state).toBe("error")
    }
    expect(other.got).toHaveLength(0)
  })

  test("an answer without an end is given up", async () => {
    const chunk = Buffer.alloc(1 << 20)
    let sent = 0
    const endless = new ReadableStream({
      pull(controller) {
        sent++
        controller.enqueue(new Uint8Array(chunk))
      },
    })
    const fetch = async () => new Response(endless, { headers: { "content-type": "audio/mpeg" } })
    const result = await call(openaiTextToAudio({ apiKey, fetch, maxRetries: 0 }), { text: "Hi" })
    expect(result.metadata).toMatchObject({ error: { code: "malformed_response" } })
    expect(sent).toBeLessThan(140)
  })
})

describe("openai_image_to_text", () => {
  const says = (content: string) => ({
    text: [
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: { role: "assistant", content } }] })}`,
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}`,
      "data: [DONE]",
      "",
    ].join("\n\n"),
    headers: { "content-type": "text/event-stream" },
  })
  const answer = (content: string) => ({
    json: {
      choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }],
      usage: { prompt_tokens: 9, completion_tokens: 2 },
    },
  })
  const either =
    (content: string) =>
    ({ body }: { body: unknown }) =>
      (body as { stream?: boolean }).stream ? says(content) : answer(content)

  test("asks a model about pictures in a list", async () => {
    await using openai = await service(either("Two cats."))
    const dir = folder({ "cat.png": png })
    const tool = openaiImageToText(at(openai.url))
    const image_urls = ["https://host/a.jpg", `${dir}/cat.png`, data]
    expect(await tool.run({ image_urls, prompt: "How many?" })).toBe("Two cats.")
    expect(openai.got[0]).toMatchObject({
      path: "/v1/chat/completions",
      body: {
        model: "gpt-4o",
        messages: [
          {
            role: "user",
            content: [
              { type: "image_url", image_url: { url: "https://host/a.jpg" } },
              { type: "image_url", image_url: { url: data } },
              { type: "image_url", image_url: { url: data } },
              { type: "text", text: "How many?" },
            ],
          },
        ],
      },
    })
    expect(JSON.stringify(openai.got[0]?.body)).toMatch(/"max_(?:completion_)?tokens":300/)
  })

  test("takes a text of URLs that commas divide, data: URLs among them", async () => {
    await using openai = await service(either("Cats."))
    await openaiImageToText(at(openai.url)).run({ image_urls: `https://host/a,b.jpg, ${data}`, max_tokens: 20 })
    expect(openai.got[0]?.body).toMatchObject({
      messages: [
        {
          content: [
            { image_url: { url: "https://host/a,b.jpg" } },
            { image_url: { url: data } },
            { text: "Describe the image" },
          ],
        },
      ],
    })
  })

  test.each([
    ["https://a/1.png,https://b/2.png", ["https://a/1.png", "https://b/2.png"]],
    ["https://a/1,2.png?x=1,2", ["https://a/1,2.png?x=1,2"]],
    [`${data},${data}`, [data, data]],
    [`/a/b.png, c d.png ,${data}, https://a/1.png`, ["/a/b.png", "c d.png", data, "https://a/1.png"]],
    [" , ,", []],
    ["", []],
  ])("%j is divided", (text, urls) => {
    expect(dividedUrls(text)).toEqual(urls)
  })

  test.each([
    [{ image_urls: [] }],
    [{ image_urls: "" }],
    [{ image_urls: ["/none.png"] }],
    [{ image_urls: [7] }],
    [{ image_urls: data, max_tokens: 0 }],
  ])("%j is refused before anything is sent", async (input) => {
    await using openai = await service(either("never"))
    expect((await call(openaiImageToText(at(openai.url)), input)).state).toBe("error")
    expect(openai.got).toHaveLength(0)
  })
})

describe("openai_text_to_audio", () => {
  test("speaks", async () => {
    await using openai = await service(() => ({
      text: Buffer.from("ID3sound"),
      headers: { "content-type": "audio/mpeg" },
    }))
    const result = await call(openaiTextToAudio(at(openai.url)), { text: "Hi" })
    expect(result.output).toEqual([
      {
        type: "audio",
        source: { type: "base64", mediaType: "audio/mpeg", data: Buffer.from("ID3sound").toString("base64") },
      },
    ])
    await openaiTextToAudio(at(openai.url)).run({
      text: "Hi",
      model: "tts-1-hd",
      voice: "nova",
      response_format: "wav",
      speed: 2,
    })
    expect(openai.got[0]?.path).toBe("/v1/audio/speech")
    expect(openai.got.map(({ body }) => body)).toEqual([
      { model: "tts-1", input: "Hi", voice: "alloy", response_format: "mp3", speed: 1 },
      { model: "tts-1-hd", input: "Hi", voice: "nova", response_format: "wav", speed: 2 },
    ])
  })

  test.each([
    [{ text: "" }],
    [{ text: " " }],
    [{ text: "x".repeat(4097) }],
    [{ text: "Hi", speed: 5 }],
    [{ text: "Hi", response_format: "midi" }],
  ])("a call that cannot be is refused before anything is sent", async (input) => {
    await using openai = await service(() => ({ json: {} }))
    expect((await call(openaiTextToAudio(at(openai.url)), input)).state).toBe("error")
    expect(openai.got).toHaveLength(0)
  })
})

describe("openai_audio_to_text", () => {
  test("writes down what is said in a file, at a URL, in a data: URL", async () => {
    await using web = await service(() => ({ text: wav(8000), headers: { "content-type": "audio/wav" } }))
    await using openai = await service(() => ({ json: { text: "Hello." } }))
    const tool = openaiAudioToText(at(openai.url))
    const dir = folder({ "a.wav": wav(8000) })
    const urls = [`${dir}/a.wav`, `${web.url}/a.wav`, `data:audio/wav;base64,${wav(8000).toString("base64")}`]
    for (const audio_url of urls) expect(await tool.run({ audio_url, language: "en", temperature: 0 })).toBe("Hello.")
    expect(openai.got.map(({ path }) => path)).toEqual(Array(3).fill("/v1/audio/transcriptions"))
    for (const { body } of openai.got) {
      const form = String(body)
      expect(form).toMatch(/name="model"\r\n\r\nwhisper-1/)
      expect(form).toMatch(/name="language"\r\n\r\nen/)
      expect(form).toMatch(/name="temperature"\r\n\r\n0/)
      expect(form).toMatch(/name="file"; filename="audio\.wav"/)
      expect(form).toContain("WAVEfmt")
    }
    expect(web.got[0]?.headers["authorization"]).toBeUndefined()
  })

  test("gives subtitles as they are, and times with verbose_json", async () => {
    const vtt = "WEBVTT\n\n00:00.000 --> 00:01.000\nHello."
    await using openai = await service((_got, count) =>
      count === 1
        ? { text: vtt }
        : {
            json: {
              text: "Hello.",
              language: "english",
              duration: 1.5,
              segments: [{ start: 0, end: 1, text: " Hello." }],
            },
          },
    )
    const tool = openaiAudioToText(at(openai.url))
    const audio_url = `data:audio/wav;base64,${wav(8000).toString("base64")}`
    expect(textOf(await call(tool, { audio_url, response_format: "vtt" }))).toBe(vtt)
    const verbose = await call(tool, { audio_url, response_format: "verbose_json", prompt: "names" })
    expect(verbose.metadata).toMatchObject({
      language: "english",
      durationSeconds: 1.5,
      segments: [{ text: "Hello.", start: 0, end: 1 }],
    })
    expect(String(openai.got[0]?.body)).toMatch(/name="response_format"\r\n\r\nvtt/)
    expect(String(openai.got[1]?.body)).toMatch(/name="prompt"\r\n\r\nnames/)
  })

  test("an abort ends the download, too", async () => {
    const abort = new AbortController()
    await using web = await scriptedServer(() => abort.abort())
    await using openai = await service(() => ({ json: { text: "never" } }))
    const tool = openaiAudioToText(at(openai.url))
    const result = await call(tool, { audio_url: `${web.url}/a.wav` }, { signal: abort.signal })
    expect(result.state).toBe("interrupted")
    expect(openai.got).toHaveLength(0)
  })

  test("nothing that is no sound, or too large, is sent", async () => {
    await using openai = await service(() => ({ json: { text: "never" } }))
    const tool = openaiAudioToText(at(openai.url))
    const dir = folder({ "large.wav": Buffer.concat([wav(8000), Buffer.alloc(26 * 1024 * 1024)]), "a.txt": "Hello" })
    for (const audio_url of [`${dir}/large.wav`, `${dir}/a.txt`, `${dir}/none.mp3`, dir, data, " "]) {
      expect((await call(tool, { audio_url })).state).toBe("error")
    }
    expect(openai.got).toHaveLength(0)
  })
})
