import type { MediaSource } from "@agentscope-ts/message"
import { dataUrl } from "@agentscope-ts/model/wire"
import type { DashScopeService } from "./dashscope-service.ts"
import { upload } from "./upload.ts"

/** The longest base64 that goes inside a request, in characters: what is larger is uploaded first. */
const mostInline = 10_000_000

/** A medium as a request has it. */
export interface SentMedia {
  readonly url: string
  /** Whether the request has to say that it has an `oss:` URL. */
  readonly resolvesOss: boolean
}

/**
 * Where the service finds a medium: URLs as they are, the rest as a `data:` URL or, where it is too large or the service takes
 * no such URL there (`inline: false`), in its own store.
 */
export async function sentMedia(
  service: DashScopeService,
  model: string,
  source: MediaSource,
  { inline = true, signal }: { inline?: boolean | undefined; signal?: AbortSignal | undefined } = {},
): Promise<SentMedia> {
  if (source.type === "url") return { url: source.url, resolvesOss: /^oss:/i.test(source.url) }
  if (inline && source.data.length <= mostInline) return { url: dataUrl(source), resolvesOss: false }
  return { url: await upload(service, model, source, signal), resolvesOss: true }
}
