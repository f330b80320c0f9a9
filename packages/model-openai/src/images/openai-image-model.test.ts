import { scriptedServer, type ScriptedServer } from "@agentscope-ts/fixtures"
import type { ImageBlock } from "@agentscope-ts/message"
import { describe, expect, it } from "vitest"
import { OpenAIImageModel, type OpenAIImageOptions } from "./openai-image-model.ts"

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const webp = Buffer.from("RIFF\0\0\0\0WEBPVP8 \0\0\0\0").toString("base64")
const picture: ImageBlock = { type: "image", source: { type: "base64", mediaType: "image/png", data: png } }

const answering = (answer: unknown) =>
  scriptedServer((response) => {
    response.setHeader("content-type", "application/json")
    response.end(JSON.stringify(answer))
  })

const modelOn = (server: ScriptedServer, options: Partial<OpenAIImageOptions> = {}) =>
  new OpenAIImageModel({ model: "gpt-image-1", apiKey: "k", baseURL: `${server.url}/v1`, ...options })

describe("OpenAIImageModel", () => {
  it("makes pictures from a prompt, of the type that their bytes show", async () => {
    await using server = await answering({
      created: 1,
      data: [{ b64_json: png }, { b64_json: webp }],
      output_format: "png",
      usage: { input_tokens: 12, output_tokens: 1056, total_tokens: 1068 },
    })
    const model = modelOn(server, { params: { quality: "low", background: "opaque" } })
    const { images, usage } = await model.generate({
      prompt: "a cat",
      count: 2,
      size: "1024x1024",
      params: { quality: "high", extraBody: { moderation: "low" } },
    })
    expect(images).toEqual([
      picture,
      { type: "image", source: { type: "base64", mediaType: "image/webp", data: webp } },
    ])
    expect(usage).toEqual({ inputTokens: 12, outputTokens: 1056, timeMs: expect.any(Number) as number })
    expect(server.heads[0]?.url).toBe("/v1/images/generations")
    expect(JSON.parse(server.bodies[0] as string)).toEqual({
      model: "gpt-image-1",
      prompt: "a cat",
      n: 2,
      size: "1024x1024",
      quality: "high",
      background: "opaque",
      moderation: "low",
    })
  })

  it("asks the older models for bytes, keeps the prompt they made of it, and takes a URL too", async () => {
    await using server = await answering({ data: [{ url: "https://images.test/1", revised_prompt: "a tabby cat" }] })
    const { images, revisedPrompts } = await modelOn(server, { model: "dall-e-3" }).generate({ prompt: "a cat" })
    expect(JSON.parse(server.bodies[0] as string)).toMatchObject({ response_format: "b64_json" })
    expect(images).toEqual([{ type: "image", source: { type: "url", url: "https://images.test/1" } }])
    expect(revisedPrompts).toEqual(["a tabby cat"])
  })

  it("works on pictures, with a mask, and makes variations", async () => {
    await using server = await answering({ data: [{ b64_json: png }] })
    const model = modelOn(server)
    await model.generate({ prompt: "add a hat", images: [picture, picture], mask: picture })
    await model.variations(picture, { count: 3 })
    const [edit = "", variation = ""] = server.bodies
    expect(server.heads.map(({ url }) => url)).toEqual(["/v1/images/edits", "/v1/images/variations"])
    expect(server.heads[0]?.headers["content-type"]).toMatch(/^multipart\/form-data; boundary=/)
    expect(edit.match(/name="image\[\]"; filename="image\.png"\r\nContent-Type: image\/png/g)).toHaveLength(2)
    expect(edit).toMatch(/name="mask"; filename="image\.png"/)
    expect(edit).toMatch(/name="prompt"\r\n\r\nadd a hat/)
    expect(variation).toMatch(/name="n"\r\n\r\n3/)
    expect(variation).toMatch(/name="image"; filename="image\.png"/)
  })

  it("tells a refusal of the prompt and an answer without pictures apart", async () => {
    await using refusing = await scriptedServer((response) => {
      response.statusCode = 400
      response.setHeader("content-type", "application/json")
      response.end(
        JSON.stringify({
          error: { code: "moderation_blocked", message: "Your request was rejected by the safety system." },
        }),
      )
    })
    await expect(modelOn(refusing).generate({ prompt: "x" })).rejects.toMatchObject({ code: "content_filtered" })
    await using empty = await answering({ data: [] })
    await expect(modelOn(empty).generate({ prompt: "x" })).rejects.toMatchObject({ code: "malformed_response" })
    await using odd = await scriptedServer((response) => {
      response.setHeader("content-type", "application/json")
      response.end("<html>")
    })
    await expect(modelOn(odd).generate({ prompt: "x" })).rejects.toMatchObject({ code: "malformed_response" })
  })

  it("ends when its signal does", async () => {
    await using server = await scriptedServer(() => {})
    const controller = new AbortController()
    const going = modelOn(server).generate({ prompt: "x", signal: controller.signal })
    const ended = expect(going).rejects.toMatchObject({ code: "aborted", cause: "enough" })
    controller.abort("enough")
    await ended
  })
})
