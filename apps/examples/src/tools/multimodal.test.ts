import type { ServerResponse } from "node:http"
import { scriptedServer } from "@agentscope-ts/fixtures"
import { expect, it } from "vitest"
import { run } from "../fixtures/run-program.ts"

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
)
const wav = Buffer.from("RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0", "latin1")

function json(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { "content-type": "application/json" })
  response.end(JSON.stringify(body))
}

it("dashscope-multimodal makes, sees, says, hears and films", async () => {
  const asked: string[] = []
  await using server = await scriptedServer((response, { method, url = "", headers }, count) => {
    const body = server.bodies[count - 1] ?? ""
    if (url === "/said.json") return json(response, { transcripts: [{ channel_id: 0, text: "Look, a cat!" }] })
    expect(headers["authorization"]).toBe("Bearer sk-ds")
    if (method === "POST") {
      const { model } = JSON.parse(body) as { model: string }
      asked.push(model)
      if (headers["x-dashscope-async"]) {
        return json(response, { output: { task_id: `task-${model}`, task_status: "PENDING" } })
      }
      if (model.includes("tts")) return json(response, { output: { audio: { url: `${server.url}/files/cat.wav` } } })
      const text = model.includes("vl") ? "A cat." : "It walks."
      const message = { role: "assistant", content: [{ text }] }
      return json(response, { output: { choices: [{ finish_reason: "stop", message }] } })
    }
    const made = url.includes("wanx") ? { results: [{ url: `${server.url}/files/cat.png` }] } : undefined
    const heard = url.includes("paraformer")
      ? { results: [{ subtask_status: "SUCCEEDED", transcription_url: `${server.url}/said.json` }] }
      : undefined
    const film = { video_url: `${server.url}/files/cat.mp4` }
    return json(response, { output: { task_id: "t", task_status: "SUCCEEDED", ...(made ?? heard ?? film) } })
  })
  const { output, status } = await run("tools/dashscope-multimodal.ts", server.url, [], {
    env: { DASHSCOPE_API_KEY: "sk-ds", DASHSCOPE_BASE_URL: `${server.url}/api/v1` },
  })
  const at = (name: string) => `${server.url}/files/${name}`
  expect(output.trimEnd().split("\n")).toEqual([
    `dashscope_text_to_image: ${at("cat.png")}`,
    "dashscope_image_to_text: A cat.",
    `dashscope_text_to_audio: ${at("cat.wav")}`,
    "dashscope_audio_to_text: Look, a cat!",
    `dashscope_text_to_video: ${at("cat.mp4")}`,
    `dashscope_image_to_video: ${at("cat.mp4")}`,
    `dashscope_first_and_last_frame_image_to_video: ${at("cat.mp4")}`,
    "dashscope_video_to_text: It walks.",
  ])
  expect(status).toBe(0)
  expect(asked).toEqual([
    "wanx-v1",
    "qwen3-vl-plus",
    "qwen3-tts-flash",
    "paraformer-v2",
    "wan2.6-t2v",
    "wan2.6-i2v-flash",
    "wan2.2-kf2v-flash",
    "qwen3.5-plus",
  ])
})

it("openai-multimodal makes, sees, says and hears", async () => {
  const asked: string[] = []
  await using server = await scriptedServer((response, { url = "", headers }) => {
    asked.push(url)
    expect(headers["authorization"]).toBe("Bearer sk-test")
    if (url.endsWith("/images/generations"))
      return json(response, { created: 1, data: [{ b64_json: png.toString("base64") }] })
    if (url.endsWith("/audio/speech")) {
      response.writeHead(200, { "content-type": "audio/mpeg" })
      return response.end(wav)
    }
    if (url.endsWith("/audio/transcriptions")) return json(response, { text: "Look, a cat!" })
    const message = { role: "assistant", content: "A cat." }
    return json(response, { id: "c", model: "gpt-4o", choices: [{ index: 0, message, finish_reason: "stop" }] })
  })
  const { output, status } = await run("tools/openai-multimodal.ts", server.url)
  expect(output.trimEnd().split("\n")).toEqual([
    "openai_text_to_image: success image",
    "openai_image_to_text: success A cat.text",
    "openai_text_to_audio: success audio",
    "openai_audio_to_text: success Look, a cat!text",
  ])
  expect(status).toBe(0)
  expect(asked).toEqual([
    "/v1/images/generations",
    "/v1/chat/completions",
    "/v1/audio/speech",
    "/v1/audio/transcriptions",
  ])
})
