import { type MediaSource, userMsg } from "@agentscope-ts/message"
import { DashScopeChatFormatter, DashScopeChatModel, type DashScopeWireMessage } from "@agentscope-ts/model-dashscope"
import type { ToolResponse } from "@agentscope-ts/tool"
import { blockOf } from "../media/checked-media.ts"
import { saidOf } from "../media/media-response.ts"
import { DashScopeService, type DashScopeServiceOptions } from "./dashscope-service.ts"
import { sentMedia } from "./sent-media.ts"

/** What is asked about pictures or a film. */
export interface Look {
  readonly model: string
  readonly kind: "image" | "video"
  readonly sources: readonly MediaSource[]
  readonly prompt: string
  /** How many pictures of each second of a film are looked at. */
  readonly fps?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** Asks a Qwen model about media, over chat. */
export async function seeMedia(options: DashScopeServiceOptions, look: Look): Promise<ToolResponse<string>> {
  const { model, kind, sources, prompt, fps, signal } = look
  const service = new DashScopeService(options)
  const sent = await Promise.all(sources.map((source) => sentMedia(service, model, source, { signal })))
  const blocks = sent.map(({ url }) => blockOf(kind, { type: "url", url }))
  const chat = new DashScopeChatModel({
    ...options,
    model,
    multimodal: true,
    ...(fps !== undefined && { formatter: new FpsFormatter(fps) }),
    ...(sent.some(({ resolvesOss }) => resolvesOss) && {
      headers: { ...options.headers, "x-dashscope-ossresourceresolve": "enable" },
    }),
  })
  const response = await chat.generate({ messages: [userMsg([...blocks, { type: "text", text: prompt }])], signal })
  return saidOf(response, model)
}

/** `fps` stands beside a film in its part. Source: Alibaba Cloud Model Studio, "Image and video understanding". */
class FpsFormatter extends DashScopeChatFormatter {
  readonly #fps: number

  constructor(fps: number) {
    super()
    this.#fps = fps
  }

  protected override wireOf(...args: Parameters<DashScopeChatFormatter["wireOf"]>): readonly DashScopeWireMessage[] {
    return super.wireOf(...args).map((message) => {
      if (typeof message.content === "string") return message
      return {
        ...message,
        content: message.content.map((part) => ("video" in part ? { ...part, fps: this.#fps } : part)),
      }
    })
  }
}
