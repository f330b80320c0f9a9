import { factsOf, type ModelFacts } from "@agentscope-ts/model"
import { ownFacts } from "@agentscope-ts/model/wire"
import type { OpenAIOptions } from "./openai-options.ts"

/** What of the options says which model it is, and what is known of it. */
export type NamedModel = Partial<Pick<OpenAIOptions, "model" | "facts">>

/** What is known of a model before there is one. */
export function knownOf({ model = "", facts }: NamedModel = {}): ModelFacts {
  return { ...factsOf(model), ...ownFacts(model, facts) }
}

/** Whether a model is known to take pictures. */
export const seesImages = (model: NamedModel | undefined): boolean => knownOf(model).inputs?.includes("image") === true
