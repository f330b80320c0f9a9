import type { JsonObject } from "@agentscope-ts/message"
import { mcpError } from "../error.ts"
import { unknownResource, type ResourceBook } from "./resource-book.ts"
import type { ServedPrompt } from "./served-prompt.ts"
import type { Completer, ServedContext } from "./served-resource.ts"

// the protocol's own limit
const most = 100

/** The answer to `completion/complete`: no values for an argument that has nobody to propose them. */
export async function completionOf(
  params: JsonObject,
  prompts: ReadonlyMap<string, ServedPrompt>,
  resources: ResourceBook | undefined,
  context: ServedContext,
): Promise<JsonObject> {
  const ref = params["ref"] as { type: string; name?: string; uri?: string }
  const { name, value } = params["argument"] as { name: string; value: string }
  const known = params["context"] as { arguments?: Readonly<Record<string, string>> } | undefined
  const complete = completerOf(ref, name, prompts, resources)
  const values = complete ? await complete(value, { ...context, values: known?.arguments ?? {} }) : []
  return {
    completion: { values: values.slice(0, most), total: values.length, hasMore: values.length > most },
  }
}

function completerOf(
  ref: { readonly type: string; readonly name?: string; readonly uri?: string },
  argument: string,
  prompts: ReadonlyMap<string, ServedPrompt>,
  resources: ResourceBook | undefined,
): Completer | undefined {
  if (ref.type === "ref/prompt") {
    const prompt = prompts.get(ref.name ?? "")
    if (prompt === undefined) throw unknownPrompt(ref.name ?? "")
    return prompt.arguments?.find(({ name }) => name === argument)?.complete
  }
  const template = resources?.templates.find(({ uriTemplate }) => uriTemplate === ref.uri)
  if (template === undefined) throw unknownResource(ref.uri ?? "")
  return template.complete?.[argument]
}

/** The error for a prompt that there is not. */
export function unknownPrompt(name: string): Error {
  return mcpError("unknown_prompt", `There is no prompt "${name}".`)
}
