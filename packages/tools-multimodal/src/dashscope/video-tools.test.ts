import { textOf } from "@agentscope-ts/message"
import type { AnyTool } from "@agentscope-ts/tool"
import { describe, expect, test } from "vitest"
import { call, noWaiting } from "../fixtures/call.ts"
import { folder, mp4, png, wav } from "../fixtures/media.ts"
import { type Answer, type Got, type Service, service, task } from "../fixtures/service.ts"
import { dashscopeFirstAndLastFrameImageToVideo } from "./first-and-last-frame-image-to-video.ts"
import { dashscopeImageToVideo } from "./image-to-video.ts"
import { dashscopeTextToVideo } from "./text-to-video.ts"
import { dashscopeVideoToText } from "./video-to-text.ts"

const apiKey = "sk-very-secret-key"
const data = `data:image/png;base64,${png.toString("base64")}`
const output = { video_url: "https://store/film.mp4?Expires=1", orig_prompt: "A", actual_prompt: "A long A" }
const usage = { video_duration: 5, video_count: 1, SR: 720 }
const film = () => service(task(["RUNNING", "SUCCEEDED"], output, usage))
const at = (url: string) => ({ apiKey, baseURL: `${url}/api/v1` })

/** The policy of an upload, and a store that takes it. */
function store(url: () => string, then: (got: Got) => Answer | undefined, more: object = {}) {
  return (got: Got): Answer | undefined => {
    if (got.path === "/store") return { text: "" }
    if (got.path !== "/api/v1/uploads") return then(got)
    const policy = {
      policy: "POLICYPOLICY",
      signature: "SIGNATURESIG",
      upload_dir: "dashscope-instant/abc/2026-12-01",
      upload_host: `${url()}/store`,
      expire_in_seconds: 300,
      max_file_size_mb: 100,
      capacity_limit_mb: 1_000_000,
      oss_access_key_id: "LTAIaccesskey",
      x_oss_object_acl: "private",
      x_oss_forbid_overwrite: "true",
      ...more,
    }
    return { json: { request_id: "r", data: policy } }
  }
}

describe("films", () => {
  test("come from a description", async () => {
    noWaiting()
    await using dashscope = await film()
    const result = await call(dashscopeTextToVideo(at(dashscope.url)), { prompt: "A" })
    expect(result.output).toEqual([
      { type: "video", source: { type: "url", url: output.video_url, mediaType: "video/mp4" } },
    ])
    expect(result.metadata).toMatchObject({ model: "wan2.6-t2v", taskId: "t-1", revisedPrompt: "A long A", usage })
    expect(dashscope.got[0]).toMatchObject({
      path: "/api/v1/services/aigc/video-generation/video-synthesis",
      headers: { "x-dashscope-async": "enable" },
    })
    expect(dashscope.got[0]?.body).toEqual({
      model: "wan2.6-t2v",
      input: { prompt: "A" },
      parameters: { size: "1920*1080", prompt_extend: true, watermark: false },
    })
  })

  test("take all that can be said of them", async () => {
    noWaiting()
    await using dashscope = await film()
    await dashscopeTextToVideo(at(dashscope.url)).run({
      prompt: "A",
      model: "wan2.5-t2v-preview",
      negative_prompt: "B",
      audio_url: "https://host/song.mp3",
      size: "1280x720",
      duration: 10,
      shot_type: "multi",
      prompt_extend: false,
      watermark: true,
      seed: 0,
    })
    expect(dashscope.got[0]?.body).toEqual({
      model: "wan2.5-t2v-preview",
      input: { prompt: "A", negative_prompt: "B", audio_url: "https://host/song.mp3" },
      parameters: {
        size: "1280*720",
        duration: 10,
        shot_type: "multi",
        prompt_extend: false,
        watermark: true,
        seed: 0,
      },
    })
  })

  test("begin with a picture", async () => {
    noWaiting()
    await using dashscope = await film()
    const dir = folder({ "cat.png": png })
    const tool = dashscopeImageToVideo(at(dashscope.url))
    await tool.run({ image_url: `${dir}/cat.png`, prompt: "It jumps", resolution: "1080p", duration: 5 })
    await tool.run({ image_url: data, template: "squish", audio: false })
    await tool.run({ image_url: "https://host/a.png", audio_url: "https://host/a.mp3", audio: false })
    const bodies = dashscope.got.filter(({ method }) => method === "POST").map(({ body }) => body)
    const common = { resolution: "720P", prompt_extend: true, watermark: false }
    expect(bodies).toEqual([
      {
        model: "wan2.6-i2v-flash",
        input: { prompt: "It jumps", img_url: data },
        parameters: { ...common, resolution: "1080P", duration: 5, audio: true },
      },
      {
        model: "wan2.6-i2v-flash",
        input: { template: "squish", img_url: data },
        parameters: { ...common, audio: false },
      },
      {
        model: "wan2.6-i2v-flash",
        input: { img_url: "https://host/a.png", audio_url: "https://host/a.mp3" },
        parameters: common,
      },
    ])
    expect(dashscope.got[0]?.path).toBe("/api/v1/services/aigc/video-generation/video-synthesis")
  })

  test("go from one picture to another", async () => {
    noWaiting()
    await using dashscope = await film()
    const tool = dashscopeFirstAndLastFrameImageToVideo(at(dashscope.url))
    await tool.run({ first_frame_url: "https://host/a.png", last_frame_url: data, prompt: "It turns", seed: 7 })
    expect(dashscope.got[0]).toMatchObject({
      path: "/api/v1/services/aigc/image2video/video-synthesis",
      headers: { "x-dashscope-async": "enable" },
    })
    expect(dashscope.got[0]?.body).toEqual({
      model: "wan2.2-kf2v-flash",
      input: { prompt: "It turns", first_frame_url: "https://host/a.png", last_frame_url: data },
      parameters: { resolution: "720P", prompt_extend: true, watermark: false, seed: 7 },
    })
  })

  test("without a URL are malformed", async () => {
    noWaiting()
    await using dashscope = await service(task(["SUCCEEDED"], {}))
    const result = await call(dashscopeTextToVideo(at(dashscope.url)), { prompt: "A" })
    expect(result.metadata).toMatchObject({ error: { code: "malformed_response" } })
  })

  test.each<[(options: object) => AnyTool, object]>([
    [dashscopeTextToVideo, { prompt: " " }],
    [dashscopeTextToVideo, { prompt: "A", duration: 0 }],
    [dashscopeTextToVideo, { prompt: "A", shot_type: "many" }],
    [dashscopeTextToVideo, { prompt: "A", seed: -1 }],
    [dashscopeTextToVideo, { prompt: "A", audio_url: "/none.mp3" }],
    [dashscopeImageToVideo, { image_url: "/none.png" }],
    [dashscopeImageToVideo, { image_url: data, resolution: "large" }],
    [dashscopeFirstAndLastFrameImageToVideo, { first_frame_url: data, last_frame_url: "/none.png" }],
    [dashscopeVideoToText, { video_url: data }],
    [dashscopeVideoToText, { video_url: "https://host/a.mp4", fps: 0 }],
  ])("%o %j is refused before anything is sent", async (make, input) => {
    await using dashscope = await service(() => ({ json: {} }))
    expect((await call(make(at(dashscope.url)), input)).state).toBe("error")
    expect(dashscope.got).toHaveLength(0)
  })
})

describe("a file that has to be at a URL", () => {
  test("is put into the service's own store first", async () => {
    noWaiting()
    const made = task(["SUCCEEDED"], output)
    await using dashscope: Service = await service(store(() => dashscope.url, made))
    const dir = folder({ "song.wav": wav(16_000) })
    await dashscopeTextToVideo(at(dashscope.url)).run({ prompt: "A", audio_url: `${dir}/song.wav` })
    const [policy, stored, created, asked] = dashscope.got
    expect(policy).toMatchObject({
      method: "GET",
      path: "/api/v1/uploads",
      query: { action: "getPolicy", model: "wan2.6-t2v" },
      headers: { authorization: `Bearer ${apiKey}` },
    })
    expect(stored).toMatchObject({ method: "POST", path: "/store" })
    // the store is another's, and the key not for it
    expect(stored?.headers["authorization"]).toBeUndefined()
    expect(stored?.headers["content-type"]).toMatch(/^multipart\/form-data; boundary=/)
    const form = String(stored?.body)
    const fields = [...form.matchAll(/ name="([^"]+)"/g)].map(([, name]) => name)
    expect(fields).toEqual([
      "OSSAccessKeyId",
      "Signature",
      "policy",
      "key",
      "x-oss-object-acl",
      "x-oss-forbid-overwrite",
      "success_action_status",
      "file",
    ])
    const key = /name="key"\r\n\r\n(.*)\r\n/.exec(form)?.[1] ?? ""
    expect(key).toMatch(/^dashscope-instant\/abc\/2026-12-01\/[\w-]{16}\.wav$/)
    expect(form).toContain("WAVEfmt")
    expect(form).not.toContain("song")
    expect(created?.headers["x-dashscope-ossresourceresolve"]).toBe("enable")
    expect(created?.body).toMatchObject({ input: { audio_url: `oss://${key}` } })
    expect(asked?.headers).not.toHaveProperty("x-dashscope-ossresourceresolve")
  })

  test("is not, when it is larger than the store takes", async () => {
    const fail = () => ({ status: 500 })
    await using dashscope: Service = await service(store(() => dashscope.url, fail, { max_file_size_mb: 0.0001 }))
    const dir = folder({ "song.wav": wav(16_000, 5000) })
    const result = await call(dashscopeTextToVideo(at(dashscope.url)), { prompt: "A", audio_url: `${dir}/song.wav` })
    expect(textOf(result)).toContain("takes no file of more than 0.0001 MB")
    expect(dashscope.got).toHaveLength(1)
  })

  test.each([
    ["a policy that lacks the host", { upload_host: undefined }, "malformed_response"],
    ["a host that is no web address", { upload_host: "file:///etc" }, "malformed_response"],
    ["no policy at all", { policy: "" }, "malformed_response"],
  ])("is not with %s", async (_what, more, code) => {
    await using dashscope: Service = await service(
      store(
        () => dashscope.url,
        () => ({ json: {} }),
        more,
      ),
    )
    const result = await call(dashscopeTextToVideo(at(dashscope.url)), {
      prompt: "A",
      audio_url: `data:audio/wav;base64,${wav(8000).toString("base64")}`,
    })
    expect(result.metadata).toMatchObject({ error: { code } })
    expect(dashscope.got).toHaveLength(1)
  })

  test("that the store refuses is told without what signs it", async () => {
    const refusal = "<Error><Code>AccessDenied</Code><Message>POLICYPOLICY SIGNATURESIG LTAIaccesskey</Message></Error>"
    await using dashscope: Service = await service((got) =>
      got.path === "/store"
        ? { status: 403, text: refusal }
        : store(
            () => dashscope.url,
            () => undefined,
          )(got),
    )
    const audio_url = `data:audio/wav;base64,${wav(8000).toString("base64")}`
    const result = await call(dashscopeTextToVideo(at(dashscope.url)), { prompt: "A", audio_url })
    expect(textOf(result)).toContain("AccessDenied")
    expect(JSON.stringify(result)).not.toMatch(/POLICYPOLICY|SIGNATURESIG|LTAIaccesskey|sk-very/)
  })
})

describe("dashscope_video_to_text", () => {
  const says = {
    json: {
      output: {
        choices: [{ finish_reason: "stop", message: { role: "assistant", content: [{ text: "A cat jumps." }] } }],
      },
    },
  }
  const content = (got: Got | undefined): unknown =>
    (got as { body: { input: { messages: { content: unknown }[] } } }).body.input.messages[0]?.content

  test("asks a model about a film, so many pictures a second", async () => {
    await using dashscope = await service(() => says)
    const tool = dashscopeVideoToText(at(dashscope.url))
    expect(textOf(await call(tool, { video_url: "https://host/a.mp4" }))).toBe("A cat jumps.")
    await tool.run({ video_url: `${folder({ "a.mp4": mp4 })}/a.mp4`, prompt: "Who?", fps: 0.5 })
    expect(dashscope.got[0]).toMatchObject({
      path: "/api/v1/services/aigc/multimodal-generation/generation",
      body: { model: "qwen3.5-plus" },
    })
    expect(content(dashscope.got[0])).toEqual([{ video: "https://host/a.mp4", fps: 2 }, { text: "Describe the video" }])
    expect(content(dashscope.got[1])).toEqual([
      { video: `data:video/mp4;base64,${mp4.toString("base64")}`, fps: 0.5 },
      { text: "Who?" },
    ])
  })

  test("uploads a large one", async () => {
    await using dashscope: Service = await service(
      store(
        () => dashscope.url,
        () => says,
      ),
    )
    const dir = folder({ "a.mp4": Buffer.concat([mp4, Buffer.alloc(8_000_000)]) })
    await dashscopeVideoToText(at(dashscope.url)).run({ video_url: `${dir}/a.mp4` })
    const asked = dashscope.got.at(-1)
    expect(asked?.headers["x-dashscope-ossresourceresolve"]).toBe("enable")
    expect(content(asked)).toMatchObject([{ video: expect.stringMatching(/^oss:\/\/.*\.mp4$/) as string }, {}])
  })
})
