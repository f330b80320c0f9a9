import type { ToolSchema } from "../chat-request.ts"
import { wireJson } from "./json.ts"

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
