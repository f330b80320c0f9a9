import type { JsonObject } from "@agentscope-ts/message"
import type { ChatRequest } from "@agentscope-ts/model"
import { objectsIn, textIn } from "@agentscope-ts/model/wire"
import type { OpenAIResponsesParams } from "../openai-options.ts"

/** What of a request tells calls of the caller's tools from those that the provider makes and answers itself. */
export interface RequestTools {
  /** Whether a call that begins may be the provider's: then only its end says what it is. */
  mayRun(item: JsonObject): boolean
  /** Whether a call that is whole was the provider's. */
  isRun(item: JsonObject): boolean
}

/** Whether xAI says so: the searches of its own have ids of their own. */
const isXai = ({ call_id }: JsonObject): boolean => textIn(call_id).startsWith("xs_")

/** The tools of a request, beside one that takes its answer. */
export function requestTools(
  { tools = [], params }: Pick<ChatRequest<OpenAIResponsesParams>, "tools" | "params">,
  answerTool?: string,
): RequestTools {
  const own = [...(params?.builtInTools ?? []), ...objectsIn<JsonObject>(params?.extraBody?.["tools"])]
  const names = [...tools, ...own].map((tool) => textIn(tool["name" as keyof typeof tool])).concat(answerTool ?? [])
  const runs = own.some(({ type }) => type !== "custom" && type !== "function")
  const isRun = (item: JsonObject): boolean => {
    if (item["type"] !== "function_call" && item["type"] !== "custom_tool_call") return false
    return isXai(item) || (runs && !item["namespace"] && !names.includes(textIn(item["name"])))
  }
  // Perplexity's searches begin as calls that are over, and end as what they found
  return { isRun, mayRun: (item) => isRun(item) || item["status"] === "completed" }
}

/** A request without any. */
export const noTools: RequestTools = requestTools({})
