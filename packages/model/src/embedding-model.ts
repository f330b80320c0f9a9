import { ambient, untilAbort } from "@agentscope-ts/message"
import { genAi, loadTracing, startSpan } from "@agentscope-ts/tracing"
import { abortedError, modelError } from "./errors/model-error.ts"
import { retrying } from "./retrying.ts"
import type { TracedAttributes } from "./stream/call-sink.ts"

/** One vector of numbers for each input, in their order. `timeMs` is wall time; `tokens` is absent where not reported. */
export interface EmbeddingResponse {
  readonly embeddings: readonly (readonly number[])[]
  readonly usage?: { readonly tokens?: number; readonly timeMs: number }
}

/** What a provider's class passes to {@link EmbeddingModel}. */
export interface EmbeddingModelInit {
  provider: string
  model: string
  /** The length of each vector. */
  dimensions: number
  /** How many inputs the provider takes in one request. Default: any number. */
  batchSize?: number | undefined
  /** How often a failed request is made again. Default 2. */
  maxRetries?: number | undefined
}

/** What a provider answers for one batch. */
export interface EmbeddingBatch {
  readonly embeddings: readonly (readonly number[])[]
  readonly tokens?: number | undefined
}

/** Turns texts into vectors. A provider writes {@link EmbeddingModel.embedBatch}; batches, retries and spans are done here. */
export abstract class EmbeddingModel {
  readonly provider: string
  readonly model: string
  readonly dimensions: number
  readonly #batchSize: number
  readonly #maxRetries: number | undefined

  constructor(init: EmbeddingModelInit) {
    this.provider = init.provider
    this.model = init.model
    this.dimensions = init.dimensions
    this.#batchSize = init.batchSize ?? Number.POSITIVE_INFINITY
    this.#maxRetries = init.maxRetries
  }

  /**
   * One vector for each input, in order.
   * @throws AgentScopeError with a code of a model; `malformed_response` when the provider sends too few vectors.
   */
  async embed(
    inputs: readonly string[],
    { signal }: { signal?: AbortSignal | undefined } = {},
  ): Promise<EmbeddingResponse> {
    const startedAt = ambient().now()
    const loading = loadTracing()
    if (loading) await loading
    const span = startSpan("embeddings", this.model, undefined, this.provider)
    span?.set({ [genAi.embeddingsDimensionCount]: this.dimensions, ...this.traced?.() })
    try {
      const embeddings: (readonly number[])[] = []
      let tokens: number | undefined
      for (let at = 0; at < inputs.length; at += this.#batchSize) {
        const part = inputs.slice(at, at + this.#batchSize)
        const send = () =>
          untilAbort(
            span ? span.run(() => this.embedBatch(part, { signal })) : this.embedBatch(part, { signal }),
            signal,
          )
        const batch = await retrying(send, { maxRetries: this.#maxRetries }, signal)
        if (batch.embeddings.length !== part.length) throw this.#wrongNumber(batch, part)
        embeddings.push(...batch.embeddings)
        if (batch.tokens !== undefined) tokens = (tokens ?? 0) + batch.tokens
      }
      span?.set({ [genAi.usageInputTokens]: tokens })
      const timeMs = ambient().now() - startedAt
      return { embeddings, usage: { ...(tokens !== undefined && { tokens }), timeMs } }
    } catch (error) {
      const failure = signal?.aborted ? abortedError(signal, `The call of ${this.provider}/${this.model}`) : error
      span?.fail(failure)
      throw failure
    } finally {
      span?.end()
    }
  }

  #wrongNumber({ embeddings }: EmbeddingBatch, inputs: readonly string[]): Error {
    const message = `${this.provider}/${this.model} answered ${embeddings.length} vectors for ${inputs.length} inputs.`
    return modelError({ code: "malformed_response", message })
  }

  /** What a trace says of a request beyond what all providers have, such as the server that it goes to. */
  protected traced?(): TracedAttributes

  /** The one thing a provider writes: the vectors of one batch, in the order of its inputs. */
  protected abstract embedBatch(
    inputs: readonly string[],
    options: { signal?: AbortSignal | undefined },
  ): Promise<EmbeddingBatch>
}
