import type { JsonValue } from "@agentscope-ts/message"
import type { TranscriptionResponse } from "@agentscope-ts/model"
import type { ToolResponse } from "@agentscope-ts/tool"
import { known, textResponse } from "./media-response.ts"

/** What was said in a recording, as a tool's answer; a recording in which nobody speaks is no failure. */
export function heard(
  { text, language, durationSeconds, segments }: TranscriptionResponse,
  model: string,
): ToolResponse<string> {
  const said = text.trim() === "" ? "Nothing is said in this recording." : text
  return textResponse(said, known({ model, language, durationSeconds, segments: segments as JsonValue | undefined }))
}
