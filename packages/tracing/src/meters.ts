import type { Attributes, Histogram, Meter, ValueType } from "@opentelemetry/api"
import type { AttributeValue } from "./span.ts"
import { genAi } from "./gen-ai.ts"

/** The metrics of the conventions that a client has, `time_per_output_chunk` left out: it would cost more than a chunk does. */
export const genAiMetrics = {
  operationDuration: "gen_ai.client.operation.duration",
  tokenUsage: "gen_ai.client.token.usage",
  timeToFirstChunk: "gen_ai.client.operation.time_to_first_chunk",
} as const

// the boundaries that the conventions give for each
const seconds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
const tokens = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864]

/** The instruments of one registered SDK. */
export class Meters {
  readonly duration: Histogram
  readonly tokenUsage: Histogram
  readonly firstChunk: Histogram

  constructor(meter: Meter, int: ValueType) {
    const timed = { unit: "s", advice: { explicitBucketBoundaries: seconds } }
    this.duration = meter.createHistogram(genAiMetrics.operationDuration, {
      ...timed,
      description: "GenAI operation duration.",
    })
    this.firstChunk = meter.createHistogram(genAiMetrics.timeToFirstChunk, {
      ...timed,
      description: "Time from the request to the first chunk of a streamed answer.",
    })
    this.tokenUsage = meter.createHistogram(genAiMetrics.tokenUsage, {
      description: "Number of input and output tokens used.",
      unit: "{token}",
      valueType: int,
      advice: { explicitBucketBoundaries: tokens },
    })
  }
}

/** The attributes of a span that its measurements have, too. */
const shared: ReadonlySet<string> = new Set([
  genAi.operationName,
  genAi.providerName,
  genAi.requestModel,
  genAi.responseModel,
  genAi.serverAddress,
  genAi.serverPort,
])

/** What one call of a model comes to in figures: it hears of the attributes of the call's span, and records at the end. */
export class Measurement {
  readonly #meters: Meters
  readonly #attributes: Attributes = {}
  // monotonic, as the spans' own times are: a clock that a test or a replay sets has no say in what things took
  readonly #startedAt = performance.now()
  #input: number | undefined
  #output: number | undefined
  #firstChunk: number | undefined
  #error: string | undefined

  constructor(meters: Meters, attributes: Readonly<Record<string, string>>) {
    this.#meters = meters
    for (const key in attributes) this.note(key, attributes[key] as string)
  }

  note(key: string, value: AttributeValue): void {
    if (key === genAi.usageInputTokens) this.#input = value as number
    else if (key === genAi.usageOutputTokens) this.#output = value as number
    else if (key === genAi.responseTimeToFirstChunk) this.#firstChunk = value as number
    else if (key === genAi.errorType) this.#error = value as string
    else if (shared.has(key)) this.#attributes[key] = value
  }

  end(): void {
    const { duration, firstChunk, tokenUsage } = this.#meters
    const attributes = this.#attributes
    const took = (performance.now() - this.#startedAt) / 1000
    duration.record(took, this.#error === undefined ? attributes : { ...attributes, [genAi.errorType]: this.#error })
    if (this.#firstChunk !== undefined) firstChunk.record(this.#firstChunk, attributes)
    if (this.#input !== undefined) tokenUsage.record(this.#input, { ...attributes, [genAi.tokenType]: "input" })
    if (this.#output !== undefined) tokenUsage.record(this.#output, { ...attributes, [genAi.tokenType]: "output" })
  }
}
