import { ambient } from "@agentscope-ts/message"
import { filledFields, usageIn } from "@agentscope-ts/model/wire"
import { OpenAIService, type OpenAIServiceModelOptions, type OpenAIServiceParams } from "./openai-service.ts"

/** What a call took; absent figures were not told. */
export interface ServiceUsage {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly timeMs: number
}

/** What the models of services with settings share. */
export abstract class OpenAIServiceModel<P extends OpenAIServiceParams> {
  readonly provider: string
  readonly model: string
  protected readonly service: OpenAIService
  readonly #params: P | undefined

  constructor(options: OpenAIServiceModelOptions<P>, path: string, own: readonly string[] = []) {
    this.service = new OpenAIService(options, path, new.target.name, own)
    this.provider = this.service.provider
    this.model = options.model
    this.#params = options.params
  }

  /** The settings of a request, those of all requests among them. */
  protected settings(params: P | undefined): Partial<P> {
    return { ...this.#params, ...params } as Partial<P>
  }

  /** The body of a request with these fields, of which absent ones are left out. */
  protected body(fields: object, params: P | undefined): never {
    const extra = { ...this.#params?.extraBody, ...params?.extraBody }
    return { ...filledFields({ model: this.model, ...fields }), ...extra } as never
  }

  /** What a call took that began at `startedAt`. */
  protected usage(value: unknown, startedAt: number): ServiceUsage {
    const { inputTokens, outputTokens } = usageIn(value) ?? {}
    return { ...filledFields({ inputTokens, outputTokens }), timeMs: ambient().now() - startedAt }
  }
}
