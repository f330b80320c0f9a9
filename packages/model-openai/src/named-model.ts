import { factsOf, type ModelFacts } from "@agentscope-ts/model"
import { ownFacts } from "@agentscope-ts/model/wire"
import type { OpenAIOptions } from "./openai-options.ts"

/** What of the options says which model it is, and what is known of it. */
export type NamedModel = Partial<Pick<OpenAIOptions, "model" | "facts">>

/** What is known of a model before there is one. */
function knownOf(options: NamedModel | null | undefined): ModelFacts {
  const { model, facts } = options ?? {}
  // what is wrong with options is told by those who check them
  if (typeof model !== "string") return {}
  return { ...factsOf(model), ...(typeof facts === "object" && facts !== null && ownFacts(model, facts)) }
}

/** Whether a model is known to take pictures. */
export const seesImages = (model: NamedModel | null | undefined): boolean =>
  knownOf(model).inputs?.includes("image") === true
