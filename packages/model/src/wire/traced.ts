import { genAi, tracingReady } from "@agentscope-ts/tracing"
import type { TracedAttributes } from "../stream/call-sink.ts"
import type { Target } from "./target.ts"
import { textIn } from "./read-value.ts"

/** What a trace says of the server that requests go to. */
export function tracedServer({ hostname, port, secure }: Pick<Target, "hostname" | "port" | "secure">) {
  return { [genAi.serverAddress]: hostname, [genAi.serverPort]: port === "" ? (secure ? 443 : 80) : Number(port) }
}

/** What a trace says of the server at this URL. */
export function tracedUrl(url: string) {
  const { hostname, port, protocol } = new URL(url)
  return tracedServer({ hostname: hostname.replace(/^\[(.*)\]$/, "$1"), port, secure: protocol === "https:" })
}

/** What a trace says of the API that OpenAI's models are behind, and of the tier that was asked for. */
export function tracedOpenAI(apiType: "chat_completions" | "responses", serviceTier: string | undefined) {
  return {
    [genAi.openaiApiType]: apiType,
    [genAi.openaiRequestServiceTier]: serviceTier === "auto" ? undefined : serviceTier,
  }
}

/** An answer's own fields, as far as a trace has them. */
interface Served {
  readonly model?: unknown
  readonly service_tier?: unknown
  readonly system_fingerprint?: unknown
}

/** Whether models of this provider are OpenAI's, for which the conventions have names of their own. */
export const isOpenAI = (provider: string): boolean => provider === "openai" || provider === "azure"

/** What a trace says of who gave an answer; undefined while nobody traces. */
export function tracedAnswer(
  { model, service_tier, system_fingerprint }: Served,
  provider = "",
): TracedAttributes | undefined {
  if (!tracingReady()) return undefined
  const answered = { [genAi.responseModel]: textIn(model) || undefined }
  if (!isOpenAI(provider)) return answered
  return {
    ...answered,
    [genAi.openaiResponseServiceTier]: textIn(service_tier) || undefined,
    [genAi.openaiResponseSystemFingerprint]: textIn(system_fingerprint) || undefined,
  }
}
