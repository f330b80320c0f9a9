import type { AudioBlock } from "@agentscope-ts/message"
import { OpenAISpeechModel } from "@agentscope-ts/model-openai"
import { type Tool, tool } from "@agentscope-ts/tool"
import { filled } from "../error.ts"
import { mediaResponse } from "../media/media-response.ts"
import { type OpenAIToolOptions, clientOptions } from "./tool-options.ts"

interface Input {
  text: string
  model?: string
  voice?: string
  response_format?: "mp3" | "opus" | "aac" | "flac" | "wav" | "pcm"
  speed?: number
}

/** `openai_text_to_audio`: speech, as bytes. */
export function openaiTextToAudio(options: OpenAIToolOptions = {}): Tool<Input, readonly AudioBlock[]> {
  const { model: usual = "tts-1" } = options
  const speech = new OpenAISpeechModel(clientOptions(options, usual))
  return tool({
    name: "openai_text_to_audio",
    description: "Speak a text.",
    input: {
      type: "object",
      properties: {
        text: { type: "string", minLength: 1, maxLength: 4096, description: "What is said." },
        model: { type: "string", description: "The model.", default: usual },
        voice: {
          type: "string",
          description: "The voice: alloy, echo, fable, onyx, nova, shimmer, …",
          default: "alloy",
        },
        response_format: {
          type: "string",
          enum: ["mp3", "opus", "aac", "flac", "wav", "pcm"],
          description: "The form of the sound.",
          default: "mp3",
        },
        speed: { type: "number", minimum: 0.25, maximum: 4, description: "1 is the voice's own pace.", default: 1 },
      },
      required: ["text"],
    },
    execute: async (
      { text, model = usual, voice = "alloy", response_format: format = "mp3", speed = 1 },
      { signal },
    ) => {
      const client = model === usual ? speech : new OpenAISpeechModel(clientOptions(options, model))
      const { audio } = await client.synthesize({ text: filled(text, "text"), voice, format, speed, signal })
      return mediaResponse([audio], { model })
    },
  })
}
