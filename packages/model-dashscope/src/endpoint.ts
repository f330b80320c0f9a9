import { apiKeyFrom, environment, environmentHeaders, joinUrl, type Target, targetOf } from "@agentscope-ts/model/wire"
import type { DashScopeOptions } from "./dashscope-options.ts"

const paths = {
  text: "services/aigc/text-generation/generation",
  multimodal: "services/aigc/multimodal-generation/generation",
} as const

/** The names of models that are behind the multimodal endpoint. */
const multimodalNames = /^qvq|-vl\b|omni|audio|-ocr|-asr|captioner/i

/** Whether a model of this name is behind the multimodal endpoint. */
export function isMultimodalName(model: string): boolean {
  return multimodalNames.test(model)
}

/** Where requests go: one target for each endpoint, streamed or not. */
export class Endpoint {
  readonly #baseURL: string
  readonly #headers: Readonly<Record<string, string | undefined>>
  readonly #targets = new Map<string, Target>()

  constructor({ apiKey, baseURL, headers }: DashScopeOptions) {
    const base = baseURL ?? environment("DASHSCOPE_HTTP_BASE_URL") ?? environment("DASHSCOPE_BASE_URL")
    // the base of the mode that speaks OpenAI's format stands beside ours
    this.#baseURL = (base ?? "https://dashscope.aliyuncs.com/api/v1").replace(/\/compatible-mode\/v1\/?$/, "/api/v1")
    const key = apiKeyFrom(apiKey, "DASHSCOPE_API_KEY")
    this.#headers = {
      authorization: `Bearer ${key}`,
      "user-agent": "agentscope-ts",
      ...environmentHeaders("DASHSCOPE_API_HEADERS"),
      ...headers,
    }
    // an address that cannot be is told at once
    this.target(false, false)
  }

  target(multimodal: boolean, streams: boolean): Target {
    const path = paths[multimodal ? "multimodal" : "text"]
    const name = `${path} ${streams}`
    let target = this.#targets.get(name)
    if (target === undefined) {
      target = targetOf(joinUrl(this.#baseURL, path), {
        accept: streams ? "text/event-stream" : "application/json",
        "x-dashscope-sse": streams ? "enable" : undefined,
        ...this.#headers,
      })
      this.#targets.set(name, target)
    }
    return target
  }
}
