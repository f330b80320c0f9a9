import { type Tool, tool } from "@agentscope-ts/tool"
import { blockOf, checkedMedia } from "../media/checked-media.ts"
import { heard } from "../media/heard.ts"
import { DashScopeTranscriptionModel } from "./dashscope-transcription-model.ts"
import { type DashScopeToolOptions, progressOf, serviceOptions } from "./tool-options.ts"

interface Input {
  audio_url: string
  model?: string
  sample_rate?: number
}

/** `dashscope_audio_to_text`: what is said in a recording. */
export function dashscopeAudioToText(options: DashScopeToolOptions = {}): Tool<Input, string> {
  const { model: usual = "paraformer-realtime-v2" } = options
  const service = serviceOptions(options)
  return tool({
    name: "dashscope_audio_to_text",
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
        sample_rate: {
          type: "integer",
          minimum: 8000,
          maximum: 48000,
          description: "In hertz, where the recording does not say it itself.",
          default: 16000,
        },
      },
      required: ["audio_url"],
    },
    effects: "none",
    timeoutMs: 31 * 60_000,
    execute: async ({ audio_url, model = usual, sample_rate = 16_000 }, ctx) => {
      const audio = blockOf("audio", await checkedMedia(audio_url, "audio", "audio_url", options))
      const written = await new DashScopeTranscriptionModel({ ...service, model }).transcribe({
        audio,
        params: { sampleRate: sample_rate, onProgress: progressOf(ctx) },
        signal: ctx.signal,
      })
      return heard(written, model)
    },
  })
}
