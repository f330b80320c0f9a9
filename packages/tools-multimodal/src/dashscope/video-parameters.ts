/** What the tools that make films have in common. */
export const videoParameters = {
  negative_prompt: { type: "string", description: "What must not be in the video." },
  prompt_extend: { type: "boolean", description: "Whether the service makes more of the prompt.", default: true },
  watermark: { type: "boolean", description: "Whether the video is marked as made by AI.", default: false },
  seed: {
    type: "integer",
    minimum: 0,
    maximum: 2147483647,
    description: "The same seed gives similar videos.",
  },
} as const

/** What only the newer models know. */
export const shotParameters = {
  audio_url: { type: "string", description: "The sound of the video: a web URL, a path of a file or a data: URL." },
  duration: { type: "integer", minimum: 1, maximum: 60, description: "Its length in seconds." },
  shot_type: { type: "string", enum: ["single", "multi"], description: "One shot, or several." },
} as const

/** How large the video is, for models that take it from a picture. */
export const resolutionParameter = {
  type: "string",
  pattern: "^[0-9]{3,4}[Pp]$",
  description: "480P, 720P or 1080P, as the model has it.",
  default: "720P",
} as const

/** The type of the common parameters. */
export interface VideoInput {
  negative_prompt?: string
  prompt_extend?: boolean
  watermark?: boolean
  seed?: number
}

/** The type of the parameters of the newer models. */
export interface ShotInput extends VideoInput {
  audio_url?: string
  duration?: number
  shot_type?: "single" | "multi"
}
