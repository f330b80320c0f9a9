import type { VideoBlock } from "@agentscope-ts/message"
import type { ToolContext, ToolResponse } from "@agentscope-ts/tool"
import { known, mediaResponse } from "../media/media-response.ts"
import type { DashScopeServiceOptions } from "./dashscope-service.ts"
import { DashScopeVideoModel, type VideoRequest } from "./dashscope-video-model.ts"
import { progressOf } from "./tool-options.ts"

/** Makes a film and tells of it as a tool does. */
export async function makeVideo(
  service: DashScopeServiceOptions,
  model: string,
  request: VideoRequest,
  ctx: ToolContext,
): Promise<ToolResponse<readonly VideoBlock[]>> {
  const { signal } = ctx
  const made = await new DashScopeVideoModel({ ...service, model }).generate({
    ...request,
    signal,
    onProgress: progressOf(ctx),
  })
  const { video, taskId, revisedPrompt, usage } = made
  return mediaResponse([video], known({ model, taskId, revisedPrompt, usage }))
}
