import { type EmbeddingBatch, EmbeddingModel, modelError } from "@agentscope-ts/model"
import { bytesOf, figureIn, malformed, objectIn, objectsIn } from "@agentscope-ts/model/wire"
import { OpenAIService, type OpenAIServiceOptions } from "../openai-service.ts"

/** Options of {@link OpenAIEmbeddingModel}. */
export interface OpenAIEmbeddingOptions extends OpenAIServiceOptions {
  /** The length of the vectors. Default: the model's own, which must be given where it is not known. */
  dimensions?: number | undefined
  /** Whether the request asks for `dimensions`; some servers refuse it. Default: where they are not the model's own. */
  requestDimensions?: boolean | undefined
  /** How many texts go into one request. Default 256: OpenAI takes 2 048, but no more than 300 000 tokens in all. */
  batchSize?: number | undefined
  /** An id of the end user, for the provider's abuse detection. */
  user?: string | undefined
}

const ownDimensions: Readonly<Record<string, number>> = {
  "text-embedding-3-small": 1536,
  "text-embedding-3-large": 3072,
  "text-embedding-ada-002": 1536,
}

/**
 * Vectors of texts from OpenAI or a compatible endpoint (`provider`, `apiKeyEnv`, `baseURL`).
 * @throws AgentScopeError `missing_api_key` without a key, `invalid_request` for options that cannot be.
 */
export class OpenAIEmbeddingModel extends EmbeddingModel {
  readonly #service: OpenAIService
  readonly #fields: Readonly<Record<string, unknown>>

  constructor(options: OpenAIEmbeddingOptions) {
    const own = ["dimensions", "requestDimensions", "batchSize", "user"]
    const service = new OpenAIService(options, "embeddings", new.target.name, own)
    const { model, user, batchSize = 256 } = options
    const dimensions = options.dimensions ?? ownDimensions[model]
    if (dimensions === undefined) {
      const message = `${new.target.name} does not know how long the vectors of ${model} are: give dimensions.`
      throw modelError({ code: "invalid_request", message })
    }
    // the SDK makes requests again
    super({ provider: service.provider, model, dimensions, batchSize, maxRetries: 0 })
    const asks = options.requestDimensions ?? dimensions !== ownDimensions[model]
    this.#service = service
    this.#fields = {
      model,
      encoding_format: "base64",
      ...(asks && { dimensions }),
      ...(user !== undefined && { user }),
    }
  }

  protected override async embedBatch(
    input: readonly string[],
    { signal }: { signal?: AbortSignal | undefined },
  ): Promise<EmbeddingBatch> {
    const body = { ...this.#fields, input }
    const answer = await this.#service.call(signal, (client, options) =>
      client.embeddings.create(body as never, options),
    )
    const { data, usage } = objectIn<{ data?: unknown; usage?: unknown }>(answer) ?? {}
    const embeddings: (readonly number[])[] = []
    objectsIn<{ embedding?: unknown; index?: unknown }>(data).forEach(({ embedding, index }, at) => {
      embeddings[figureIn(index) ?? at] = this.#vector(embedding)
    })
    const { prompt_tokens, total_tokens } = objectIn<Record<string, unknown>>(usage) ?? {}
    return { embeddings, tokens: figureIn(prompt_tokens) ?? figureIn(total_tokens) }
  }

  /** Base64 of 32-bit floats, or numbers from servers that know no other form. */
  #vector(embedding: unknown): readonly number[] {
    const vector =
      typeof embedding === "string"
        ? Array.from(floatsOf(embedding))
        : Array.isArray(embedding)
          ? (embedding as number[])
          : []
    if (vector.length === this.dimensions) return vector
    throw malformed(
      `${this.provider}/${this.model} answered a vector of ${vector.length} numbers, not of ${this.dimensions}: check dimensions and requestDimensions.`,
    )
  }
}

function floatsOf(base64: string): Float32Array {
  const bytes = bytesOf(base64)
  return new Float32Array(bytes.buffer, 0, Math.floor(bytes.length / 4))
}
