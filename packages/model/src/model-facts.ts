import type { ModelPrice } from "./prices.ts"

/** What can stand in a message to a model. */
export type InputKind = "text" | "image" | "audio" | "video" | "file"

/** What is known of a model; what is not known is absent. */
export interface ModelFacts {
  /** How many tokens fit, input and output together. */
  readonly contextWindow?: number
  readonly maxOutputTokens?: number
  /** What it can read. */
  readonly inputs?: readonly InputKind[]
  /** Whether it can think before it answers. */
  readonly reasoning?: boolean
  /** Whether its provider can hold an answer to a JSON Schema. */
  readonly structuredOutput?: boolean
  readonly tools?: boolean
  /** List price. */
  readonly price?: ModelPrice
}

const price = (input: number, output: number, cached?: number, cacheWrite?: number): ModelPrice => ({
  inputPerMTok: input,
  outputPerMTok: output,
  ...(cached !== undefined && { cachedInputPerMTok: cached }),
  ...(cacheWrite !== undefined && { cacheWritePerMTok: cacheWrite }),
})

const text: readonly InputKind[] = ["text"]
const vision: readonly InputKind[] = ["text", "image"]
const documents: readonly InputKind[] = ["text", "image", "file"]
const everything: readonly InputKind[] = ["text", "image", "audio", "video", "file"]

/** One row: the sizes in tokens, what it reads, and what differs from most. */
const row = (
  contextWindow: number,
  maxOutputTokens: number,
  inputs: readonly InputKind[],
  more: Omit<ModelFacts, "contextWindow" | "maxOutputTokens" | "inputs">,
): ModelFacts => ({
  contextWindow,
  maxOutputTokens,
  inputs,
  reasoning: false,
  structuredOutput: false,
  tools: true,
  ...more,
})

const openAI = (window: number, output: number, inputs: readonly InputKind[], reasoning: boolean, price: ModelPrice) =>
  row(window, output, inputs, { reasoning, structuredOutput: true, price })
const gpt5 = (price: ModelPrice) => openAI(400_000, 128_000, documents, true, price)
const gpt41 = (price: ModelPrice) => openAI(1_047_576, 32_768, documents, false, price)
const gpt4o = (price: ModelPrice, inputs = documents) => openAI(128_000, 16_384, inputs, false, price)
const oSeries = (price: ModelPrice, inputs = documents) => openAI(200_000, 100_000, inputs, true, price)

/** A cached read costs a tenth of the input, a cache write for 5 minutes a quarter more, one for an hour twice as much. */
const claude = (output: number, input: number, out: number, { reasoning = true, structuredOutput = false } = {}) =>
  row(200_000, output, documents, {
    reasoning,
    structuredOutput,
    price: { ...price(input, out, input / 10, input * 1.25), cacheWriteLongPerMTok: input * 2 },
  })
const native = { structuredOutput: true }

const gemini = (output: number, price: ModelPrice, reasoning = true) =>
  row(1_048_576, output, everything, { reasoning, structuredOutput: true, price })

const qwen = (
  window: number,
  output: number,
  reasoning: boolean,
  price?: ModelPrice,
  inputs: readonly InputKind[] = text,
) => row(window, output, inputs, { reasoning, ...(price && { price }) })

const mistral = (window: number, inputs: readonly InputKind[], price: ModelPrice, reasoning = false): ModelFacts => ({
  contextWindow: window,
  inputs,
  reasoning,
  structuredOutput: true,
  tools: true,
  price,
})

/** Open weights on the user's own machine; how much context they really get is what the server was started with. */
const local = (contextWindow: number, { inputs = text, reasoning = false, tools = true } = {}): ModelFacts => ({
  contextWindow,
  inputs,
  reasoning,
  structuredOutput: true,
  tools,
})

/**
 * Facts of well-known models by the provider's name of the model, as of February 2026; prices are list prices (standard
 * tier, shortest context, international). They age: the option `facts` of a model says better, for the model alone or with a
 * table of yours for all of them. `factsOf(name, { ...modelFacts, ...mine })` looks a name up in both.
 */
export const modelFacts: Readonly<Record<string, ModelFacts>> = {
  "gpt-5.2": gpt5(price(1.75, 14, 0.175)),
  "gpt-5.1": gpt5(price(1.25, 10, 0.125)),
  "gpt-5.1-codex": gpt5(price(1.25, 10, 0.125)),
  "gpt-5": gpt5(price(1.25, 10, 0.125)),
  "gpt-5-codex": gpt5(price(1.25, 10, 0.125)),
  "gpt-5-mini": gpt5(price(0.25, 2, 0.025)),
  "gpt-5-nano": gpt5(price(0.05, 0.4, 0.005)),
  "gpt-5-pro": openAI(400_000, 272_000, documents, true, price(15, 120)),
  "gpt-5-chat": gpt4o(price(1.25, 10, 0.125)),
  "gpt-4.1": gpt41(price(2, 8, 0.5)),
  "gpt-4.1-mini": gpt41(price(0.4, 1.6, 0.1)),
  "gpt-4.1-nano": gpt41(price(0.1, 0.4, 0.025)),
  "gpt-4o": gpt4o(price(2.5, 10, 1.25)),
  "gpt-4o-2024-05-13": openAI(128_000, 4096, vision, false, price(5, 15)),
  "gpt-4o-mini": gpt4o(price(0.15, 0.6, 0.075)),
  "gpt-4o-audio-preview": gpt4o(price(2.5, 10), ["text", "audio"]),
  "gpt-4-turbo": row(128_000, 4096, vision, { price: price(10, 30) }),
  "gpt-3.5-turbo": row(16_385, 4096, text, { price: price(0.5, 1.5) }),
  o1: oSeries(price(15, 60, 7.5)),
  o3: oSeries(price(2, 8, 0.5)),
  "o3-pro": oSeries(price(20, 80)),
  "o3-mini": oSeries(price(1.1, 4.4, 0.55), text),
  "o4-mini": oSeries(price(1.1, 4.4, 0.275)),

  "claude-opus-4-6": claude(128_000, 5, 25, native),
  "claude-opus-4-5": claude(64_000, 5, 25, native),
  "claude-opus-4-1": claude(32_000, 15, 75, native),
  "claude-opus-4": claude(32_000, 15, 75),
  "claude-sonnet-4-6": claude(64_000, 3, 15, native),
  "claude-sonnet-4-5": claude(64_000, 3, 15, native),
  "claude-sonnet-4": claude(64_000, 3, 15),
  "claude-haiku-4-5": claude(64_000, 1, 5, native),
  "claude-3-7-sonnet": claude(64_000, 3, 15),
  "claude-3-5-sonnet": claude(8192, 3, 15, { reasoning: false }),
  "claude-3-5-haiku": claude(8192, 0.8, 4, { reasoning: false }),
  "claude-3-opus": claude(4096, 15, 75, { reasoning: false }),
  "claude-3-haiku": claude(4096, 0.25, 1.25, { reasoning: false }),

  "gemini-3-pro-preview": gemini(65_536, price(2, 12, 0.2)),
  "gemini-3-flash-preview": gemini(65_536, price(0.5, 3, 0.05)),
  "gemini-2.5-pro": gemini(65_536, price(1.25, 10, 0.125)),
  "gemini-2.5-flash": gemini(65_536, price(0.3, 2.5, 0.03)),
  "gemini-2.5-flash-lite": gemini(65_536, price(0.1, 0.4, 0.01)),
  "gemini-2.0-flash": gemini(8192, price(0.1, 0.4, 0.025), false),
  "gemini-2.0-flash-lite": gemini(8192, price(0.075, 0.3), false),

  "deepseek-chat": row(128_000, 8192, text, { price: price(0.28, 0.42, 0.028) }),
  "deepseek-reasoner": row(128_000, 65_536, text, { reasoning: true, price: price(0.28, 0.42, 0.028) }),

  "qwen3-max": qwen(262_144, 65_536, false),
  "qwen-max": qwen(32_768, 8192, false, price(1.6, 6.4)),
  "qwen-plus": qwen(1_000_000, 32_768, true, price(0.4, 1.2)),
  "qwen-flash": qwen(1_000_000, 32_768, true, price(0.05, 0.4)),
  "qwen-turbo": qwen(1_000_000, 16_384, true, price(0.05, 0.2)),
  "qwen3-coder-plus": qwen(1_000_000, 65_536, false),
  "qwq-plus": qwen(131_072, 8192, true, price(0.8, 2.4)),
  "qwen-vl-max": qwen(131_072, 8192, false, price(0.8, 3.2), ["text", "image", "video"]),
  "qwen-vl-plus": qwen(131_072, 8192, false, price(0.21, 0.63), ["text", "image", "video"]),
  "qwen3-vl-plus": qwen(262_144, 32_768, true, undefined, ["text", "image", "video"]),
  "qwen3-omni-flash": qwen(65_536, 16_384, true, undefined, ["text", "image", "audio", "video"]),

  "mistral-large": mistral(262_144, vision, price(0.5, 1.5)),
  "mistral-medium": mistral(131_072, vision, price(0.4, 2)),
  "mistral-small": mistral(131_072, vision, price(0.1, 0.3)),
  "magistral-medium": mistral(131_072, vision, price(2, 5), true),
  "magistral-small": mistral(131_072, vision, price(0.5, 1.5), true),
  codestral: mistral(262_144, text, price(0.3, 0.9)),
  "pixtral-large": mistral(131_072, vision, price(2, 6)),

  // as Ollama calls them, for all sizes unless the tag is here
  "llama3.1": local(131_072),
  "llama3.2": local(131_072),
  "llama3.2-vision": local(131_072, { inputs: vision, tools: false }),
  "llama3.3": local(131_072),
  "qwen2.5": local(32_768),
  "qwen2.5-coder": local(32_768),
  "qwen2.5vl": local(128_000, { inputs: vision, tools: false }),
  qwen3: local(40_960, { reasoning: true }),
  "qwen3-coder": local(262_144),
  "qwen3-vl": local(262_144, { inputs: vision, reasoning: true }),
  gemma3: local(131_072, { inputs: vision, tools: false }),
  "gemma3:1b": local(32_768, { tools: false }),
  "gpt-oss": local(131_072, { reasoning: true }),
  "deepseek-r1": local(131_072, { reasoning: true }),
  mistral: local(32_768),
  "mistral-nemo": local(131_072),
  phi4: local(16_384, { tools: false }),
  llava: local(32_768, { inputs: vision, tools: false }),
}

/** A name in a table, and whether it is the model itself, not one of its sizes, tunings or resellers' tiers. */
interface Found<T> {
  readonly value: T
  readonly itself: boolean
}

/**
 * Looks a model up by its name, then by the plain name: without a provider's prefix (`openai/`, `models/`,
 * `us.anthropic.`), a date, a version or `-latest`, and without an Ollama tag. It does not guess beyond that.
 */
export function findModel<T>(model: string, table: Readonly<Record<string, T>>): Found<T> | undefined {
  const itself = !/:[^/]*$/.test(model.replace(bedrockVersion, ""))
  for (const name of namesOf(model)) {
    const value = Object.hasOwn(table, name) ? table[name] : undefined
    if (value !== undefined) return { value, itself: itself || name === model }
  }
  return undefined
}

const bedrockVersion = /-v\d+(?::\d+)?$/
const ending = /-(?:latest|\d{8}|\d{4}-\d{2}-\d{2}|0|00\d|preview-\d{2}-\d{2,4})$/

function* namesOf(model: string): Generator<string> {
  yield model
  const own = model.startsWith("ft:") ? (model.split(":")[1] ?? "") : model
  const bare = own
    .slice(own.lastIndexOf("/") + 1)
    .replace(/^(?:[a-z]{2,6}\.)?(?:anthropic|mistral|deepseek|openai)\./, "")
    .replace(bedrockVersion, "")
    .replace(/@.*$/, "")
  yield bare
  yield bare.replace(ending, "")
  const untagged = bare.replace(/:.*$/, "")
  yield untagged
  yield untagged.replace(ending, "")
}

const nothing: ModelFacts = {}

/**
 * What is known of a model: dated, `-latest` and prefixed names are those of the plain one. Empty for one that is not in
 * the table; without a price for a tuned one, and for one with a tag (`:free`, an Ollama size), which costs something else.
 */
export function factsOf(model: string, table: Readonly<Record<string, ModelFacts>> = modelFacts): ModelFacts {
  const found = findModel(model, table)
  if (found === undefined) return nothing
  if (found.itself || found.value.price === undefined) return found.value
  const { price: _, ...facts } = found.value
  return facts
}

const factNames: ReadonlySet<string> = new Set<keyof ModelFacts>([
  "contextWindow",
  "maxOutputTokens",
  "inputs",
  "reasoning",
  "structuredOutput",
  "tools",
  "price",
])

/** What the option `facts` says of a model: facts as they are, or the model's row of a table; undefined where it has none. */
export function ownFacts(
  model: string,
  facts: ModelFacts | Readonly<Record<string, ModelFacts>> | undefined,
): ModelFacts | undefined {
  if (facts === undefined) return undefined
  if (Object.keys(facts).some((name) => factNames.has(name))) return facts
  const row = factsOf(model, facts as Readonly<Record<string, ModelFacts>>)
  return row === nothing ? undefined : row
}
