import { expect, test } from "vitest"
import { dashscopeMultimodalTools, openaiMultimodalTools } from "./index.ts"

const tools = [...dashscopeMultimodalTools({ apiKey: "k" }), ...openaiMultimodalTools({ apiKey: "k" })]

/** A parameter and its default, as the reference has them; `!` marks what is required. */
const told = Object.fromEntries(
  tools.map(({ name, schema }) => {
    const { properties = {}, required = [] } = schema.parameters
    const entries = Object.entries(properties).map(([key, { default: usual }]) => {
      const more = usual === undefined ? "" : `=${JSON.stringify(usual).replaceAll('"', "")}`
      return `${key}${required.includes(key) ? "!" : ""}${more}`
    })
    return [name, entries.toSorted().join(" ")]
  }),
)

test("the tools have the names, parameters and defaults of the reference", () => {
  expect(told).toEqual({
    dashscope_text_to_image: "model=wanx-v1 n=1 prompt! size=1024*1024 use_base64=false",
    dashscope_image_to_text: "image_urls! model=qwen3-vl-plus prompt=Describe the image",
    dashscope_text_to_audio: "language=Chinese model=qwen3-tts-flash sample_rate=24000 text! voice=Cherry",
    dashscope_audio_to_text: "audio_url! model=paraformer-realtime-v2 sample_rate=16000",
    dashscope_text_to_video:
      "audio_url duration model=wan2.6-t2v negative_prompt prompt! prompt_extend=true seed shot_type size=1920*1080 watermark=false",
    dashscope_image_to_video:
      "audio=true audio_url duration image_url! model=wan2.6-i2v-flash negative_prompt prompt prompt_extend=true resolution=720P seed shot_type template watermark=false",
    dashscope_first_and_last_frame_image_to_video:
      "first_frame_url! last_frame_url model=wan2.2-kf2v-flash negative_prompt prompt prompt_extend=true resolution=720P seed template watermark=false",
    dashscope_video_to_text: "fps=2 model=qwen3.5-plus prompt=Describe the video video_url!",
    openai_text_to_image: "model=dall-e-3 n=1 prompt! quality=standard response_format=url size=1024x1024",
    openai_image_to_text: "image_urls! max_tokens=300 model=gpt-4o prompt=Describe the image",
    openai_text_to_audio: "model=tts-1 response_format=mp3 speed=1 text! voice=alloy",
    openai_audio_to_text: "audio_url! language model=whisper-1 prompt response_format=text temperature",
  })
})

test("what makes something costs money each time, and what looks at something changes nothing", () => {
  for (const { name, effects } of tools)
    expect([name, effects]).toEqual([name, name.endsWith("_to_text") ? "none" : "once"])
})

test("films have time to be made", () => {
  for (const { name, timeoutMs = 0 } of tools)
    if (name.endsWith("_video")) expect(timeoutMs).toBeGreaterThan(20 * 60_000)
})

test("an option that does not exist, or is no text, is refused: misspelt, a root would let all files be read", () => {
  const refused = (message: RegExp) =>
    expect.objectContaining({ code: "invalid_argument", message: expect.stringMatching(message) })
  for (const make of [dashscopeMultimodalTools, openaiMultimodalTools]) {
    expect(() => make({ apiKey: "k", rot: "media" } as never)).toThrow(refused(/"rot"\. Did you mean "root"\?/))
    expect(() => make({ apiKey: "k", root: "" })).toThrow(refused(/"root"/))
    expect(() => make({ apiKey: "k", root: 5 } as never)).toThrow(refused(/"root"/))
    expect(() => make(5 as never)).toThrow(refused(/an object/))
  }
})
