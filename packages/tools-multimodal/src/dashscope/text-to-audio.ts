import type { AudioBlock } from "@agentscope-ts/message"
import { type Tool, tool } from "@agentscope-ts/tool"
import { filled } from "../error.ts"
import { mediaResponse } from "../media/media-response.ts"
import { DashScopeSpeechModel } from "./dashscope-speech-model.ts"
import { type DashScopeToolOptions, serviceOptions } from "./tool-options.ts"

interface Input {
  text: string
  model?: string
  voice?: string
  language?: string
  sample_rate?: number
}

/** `dashscope_text_to_audio`: speech, as a URL that ends after 24 hours (Qwen-TTS) or as bytes (Sambert). */
export function dashscopeTextToAudio(options: DashScopeToolOptions = {}): Tool<Input, readonly AudioBlock[]> {
  const { model: usual = "qwen3-tts-flash" } = options
  const service = serviceOptions(options)
  return tool({
    name: "dashscope_text_to_audio",
    description: "Speak a text.",
    input: {
      type: "object",
      properties: {
        text: { type: "string", minLength: 1, description: "What is said." },
        model: { type: "string", description: "The model: of Qwen-TTS or Sambert.", default: usual },
        voice: { type: "string", description: "The voice; of Sambert it is in the model's name.", default: "Cherry" },
        language: { type: "string", description: "The language of the text, in English.", default: "Chinese" },
        sample_rate: {
          type: "integer",
          minimum: 8000,
          maximum: 48000,
          description: "In hertz; Sambert only.",
          default: 24000,
        },
      },
      required: ["text"],
    },
    execute: async (
      { text, model = usual, voice = "Cherry", language = "Chinese", sample_rate = 24_000 },
      { signal },
    ) => {
      const { audio } = await new DashScopeSpeechModel({ ...service, model }).synthesize({
        text: filled(text, "text"),
        voice,
        params: { language, sampleRate: sample_rate },
        signal,
      })
      return mediaResponse([audio], { model })
    },
  })
}
