import { OpenAITranscriptionModel } from "@agentscope-ts/model-openai"
import { loadMedia } from "@agentscope-ts/model/wire"
import { type Tool, tool } from "@agentscope-ts/tool"
import { multimodalError } from "../error.ts"
import { blockOf, checkedMedia } from "../media/checked-media.ts"
import { heard } from "../media/heard.ts"
import { type OpenAIToolOptions, clientOptions } from "./tool-options.ts"

interface Input {
  audio_url: string
  model?: string
  language?: string
  prompt?: string
  response_format?: "json" | "text" | "srt" | "verbose_json" | "vtt"
  temperature?: number
}

/** The largest file that the API takes, as base64. */
const mostBase64 = Math.ceil((25 * 1024 * 1024) / 3) * 4

/** `openai_audio_to_text`: what is said in a recording, as text or as subtitles. */
export function openaiAudioToText(options: OpenAIToolOptions = {}): Tool<Input, string> {
  const { model: usual = "whisper-1" } = options
  const transcription = new OpenAITranscriptionModel(clientOptions(options, usual))
  return tool({
    name: "openai_audio_to_text",
    description: "Write down what is said in a recording.",
    input: {
      type: "object",
      properties: {
        audio_url: {
          type: "string",
          minLength: 1,
          description: "The recording: a web URL, a path of a file or a data: URL.",
        },
        model: { type: "string", description: "The model.", default: usual },
        language: { type: "string", description: "The language that is spoken, as ISO 639-1: en." },
        prompt: { type: "string", description: "Words that help to hear right: names, the style." },
        response_format: {
          type: "string",
          enum: ["json", "text", "srt", "verbose_json", "vtt"],
          description: "The form of what is written.",
          default: "text",
        },
        temperature: { type: "number", minimum: 0, maximum: 1, description: "How freely it is heard." },
      },
      required: ["audio_url"],
    },
    effects: "none",
    timeoutMs: 10 * 60_000,
    execute: async (input, { signal }) => {
      const { audio_url, model = usual, language, prompt, response_format: format = "text", temperature } = input
      const source = await checkedMedia(audio_url, "audio", "audio_url", options)
      const media = await loadMedia(source, "audio", { signal, fetch: options.fetch })
      if (media.data.length > mostBase64) {
        const message = "audio_url has more than 25 MB, the most that OpenAI takes: cut it first."
        throw multimodalError("invalid_argument", message)
      }
      const client = model === usual ? transcription : new OpenAITranscriptionModel(clientOptions(options, model))
      const written = await client.transcribe({
        audio: blockOf("audio", { type: "base64", ...media }),
        language,
        prompt,
        // only whisper knows other forms than JSON, and its text is the same
        params: { temperature, ...(format !== "text" && { extraBody: { response_format: format } }) },
        signal,
      })
      return heard(written, model)
    },
  })
}
