/** A field of a body that a request can do without. */
export interface OptionalField {
  /** The words in which endpoints name it when they refuse it. */
  readonly named: RegExp
  /** The param that it is made from: who sets that is told that it is left out. */
  readonly param?: string | undefined
  /** The field that says the same to endpoints that refuse this one. */
  readonly instead?: string | undefined
  /** Whether a refusal that names a value is about that value alone. */
  readonly byValue?: boolean | undefined
}

/** How endpoints say that they do not know a field; not that its value will not do. */
const unknown = (name: string): RegExp =>
  new RegExp(
    `(?:unsupported|unknown|unrecogni[sz]ed|unexpected)[^.]*\\b${name}\\b|` +
      `\\b${name}\\b\\W*(?:is |are )?(?:not (?:supported|permitted|allowed)|unsupported|extra inputs|deprecated)`,
    "i",
  )

/** Fields that a request can do without, over OpenAI's APIs and at the endpoints that are compatible with them. */
export const optionalFields: Readonly<Record<string, OptionalField>> = {
  temperature: { named: /\btemperature\b/, param: "temperature" },
  top_p: { named: /\btop_p\b/, param: "topP" },
  stop: { named: /['"`]stop['"`]|parameters?:? stop\b|: stop\b/, param: "stop" },
  seed: { named: /\bseed\b/, param: "seed" },
  parallel_tool_calls: { named: /\bparallel_tool_calls\b/, param: "parallelToolCalls" },
  stream_options: { named: /\bstream_options\b/ },
  max_tokens: { named: unknown("max_tokens"), instead: "max_completion_tokens" },
  max_completion_tokens: { named: unknown("max_completion_tokens"), instead: "max_tokens" },
  reasoning_effort: { named: /\breasoning_effort\b/, param: "reasoning", byValue: true },
  // not the reasoning of a sentence
  reasoning: {
    named: /['"`]reasoning(?:\.\w+)?['"`]|\breasoning\.(?:effort|summary)\b|: reasoning\b/,
    param: "reasoning",
    byValue: true,
  },
  thinking: { named: /['"`]thinking(?:\.\w+)?['"`]|: thinking\b/, param: "reasoning" },
  chat_template_kwargs: { named: /\bchat_template/, param: "reasoning" },
  prompt_mode: { named: /\bprompt_mode\b/, param: "reasoning" },
  tool_choice: { named: /\btool_choice\b/ },
  include: { named: /encrypted[ _]content|['"`]include['"`]/i },
}
