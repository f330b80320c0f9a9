import { type OptionalField, Refusals, type SchemaMode } from "@agentscope-ts/model/wire"

/** Fields that a request can do without, over either API. */
const optional: Readonly<Record<string, OptionalField>> = {
  temperature: { named: /\btemperature\b/, param: "temperature" },
  top_p: { named: /\btop_p\b/, param: "topP" },
  stop: { named: /['"`]stop['"`]|parameters?:? stop\b|: stop\b/, param: "stop" },
  seed: { named: /\bseed\b/, param: "seed" },
  parallel_tool_calls: { named: /\bparallel_tool_calls\b/, param: "parallelToolCalls" },
  stream_options: { named: /\bstream_options\b/ },
  include: { named: /encrypted[ _]content|['"`]include['"`]/i },
}

/** What an endpoint has refused: nothing yet. `mode`: how it is asked for structured answers at first. */
export const noRefusals = (mode?: SchemaMode): Refusals => new Refusals(optional, mode)
