import type { ImageBlock } from "@agentscope-ts/message"

/** One request for pictures. `P` are the provider's own settings. */
export interface ImageRequest<P extends object = object> {
  readonly prompt: string
  /** Pictures to work on: with them the request is an edit. */
  readonly images?: readonly ImageBlock[] | undefined
  /** Where it is transparent, the first picture is changed. */
  readonly mask?: ImageBlock | undefined
  /** How many. Default 1. */
  readonly count?: number | undefined
  /** Width and height in pixels, `1024x1024`. */
  readonly size?: string | undefined
  readonly params?: P | undefined
  readonly signal?: AbortSignal | undefined
}

/** The pictures, and what they took; absent figures were not told. */
export interface ImageResponse {
  readonly images: readonly ImageBlock[]
  /** The prompt as the provider changed it, one for each picture, where it did. */
  readonly revisedPrompts?: readonly string[]
  readonly usage: { readonly inputTokens?: number; readonly outputTokens?: number; readonly timeMs: number }
}

/** Makes pictures from words, or from pictures and words. Failures have the codes of a model. */
export interface ImageModel<P extends object = object> {
  readonly provider: string
  readonly model: string
  generate(request: ImageRequest<P>): Promise<ImageResponse>
}
