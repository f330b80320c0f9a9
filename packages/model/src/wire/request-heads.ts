import type { ChatParams, ChatRequest, ToolSchema } from "../chat-request.ts"
import { wireJson } from "./json.ts"

/** What of a request stands outside its messages. */
export type HeadRequest<P extends ChatParams> = Pick<ChatRequest<P>, "tools" | "toolChoice" | "schema" | "params">

/**
 * Keeps the head (all of a body but its messages) that was made last: beside its messages a conversation mostly asks for
 * the same, by the same objects. `extra` is what else the head depends on, such as a system text.
 */
export class RequestHeads<P extends ChatParams> {
  readonly #make: (request: HeadRequest<P>, streaming: boolean, extra: string) => string
  #last: HeadRequest<P> | undefined
  #toolCount: number | undefined
  #streaming = false
  #extra = ""
  #head = ""

  constructor(make: (request: HeadRequest<P>, streaming: boolean, extra: string) => string) {
    this.#make = make
  }

  /** The head, made anew only where something is another object than before. */
  of(request: HeadRequest<P>, streaming: boolean, extra = ""): string {
    const last = this.#last
    const { tools, toolChoice, schema, params } = request
    if (
      last === undefined ||
      last.tools !== tools ||
      // a list may have grown where it stands
      tools?.length !== this.#toolCount ||
      last.toolChoice !== toolChoice ||
      last.schema !== schema ||
      last.params !== params ||
      this.#streaming !== streaming ||
      this.#extra !== extra
    ) {
      this.#head = this.#make(request, streaming, extra)
      this.#last = { tools, toolChoice, schema, params }
      this.#toolCount = tools?.length
      this.#streaming = streaming
      this.#extra = extra
    }
    return this.#head
  }
}

/** Makes the JSON of a list of tools, once for each list. */
export class ToolsJson {
  readonly #of: (tools: readonly ToolSchema[]) => unknown
  readonly #known = new WeakMap<readonly ToolSchema[], { readonly count: number; readonly json: string }>()

  constructor(of: (tools: readonly ToolSchema[]) => unknown) {
    this.#of = of
  }

  json(tools: readonly ToolSchema[]): string {
    const known = this.#known.get(tools)
    if (known?.count === tools.length) return known.json
    const json = wireJson(this.#of(tools))
    this.#known.set(tools, { count: tools.length, json })
    return json
  }
}
