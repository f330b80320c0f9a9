import type { Schema } from "@agentscope-ts/message"
import type { ChatRequest } from "./chat-request.ts"
import { checkChoice } from "./check-tool-choice.ts"
import { modelError } from "./errors/model-error.ts"
import { checkLiteral } from "./schema/check-literal.ts"
import { checkSchema } from "./schema/json-schema-of.ts"

/** What is wrong with what was given as a request; undefined where it is one. */
export function requestFault(request: unknown): Error | undefined {
  if (typeof request === "object" && request !== null && "messages" in request) return undefined
  const text = typeof request === "string" ? JSON.stringify(request.slice(0, 40)) : '"…"'
  const given = Array.isArray(request) ? "a list" : typeof request === "object" ? "no messages" : typeof request
  const message = `A model's call takes a request, and it got ${given}: generate({ messages: [userMsg(${text})] }).`
  return modelError({ code: "invalid_request", message })
}

/** Those that were found to be fine: a schema is mostly one for many calls. */
const fine = new WeakSet<Schema>()

/**
 * Throws `invalid_schema` for what is no schema, and `invalid_request` for what is no tool choice or when a tool must be
 * called and there is none: one provider would refuse that, another leave it out without a word. Tools that the provider
 * itself has count, by whatever param they are asked for.
 */
export function checkRequest({ toolChoice, tools, params, schema }: ChatRequest, name: string): void {
  if (schema !== undefined && !fine.has(schema)) {
    const subject = `The schema of a request to ${name}`
    checkLiteral(schema, subject)
    checkSchema(schema, subject)
    fine.add(schema)
  }
  checkChoice(toolChoice)
  if (toolChoice !== "required" || (tools?.length ?? 0) > 0 || hasOwnTools(params)) return
  const message = `toolChoice is "required", but the request to ${name} has no tools: give it some, or leave toolChoice out.`
  throw modelError({ code: "invalid_request", message })
}

/** Tools of the provider's own are lists in its params (`builtInTools`, `serverTools`), or in `extraBody` (`tools`). */
function hasOwnTools(params: object | undefined): boolean {
  const { extraBody, ...own } = (params ?? {}) as { readonly extraBody?: object }
  return [...Object.entries(own), ...Object.entries(extraBody ?? {})].some(
    ([name, value]) => /tools$/i.test(name) && Array.isArray(value) && value.length > 0,
  )
}
