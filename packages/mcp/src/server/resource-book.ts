import type { JsonObject } from "@agentscope-ts/message"
import { mcpError } from "../error.ts"
import type { ServerSdk } from "./sdk.ts"
import {
  listedResource,
  readResult,
  type ServedContext,
  type ServedResource,
  type ServedResourceTemplate,
} from "./served-resource.ts"

/** The resources and templates of a server. */
export class ResourceBook {
  readonly listed: readonly JsonObject[]
  readonly listedTemplates: readonly JsonObject[]
  readonly templates: readonly ServedResourceTemplate[]
  readonly #byUri: ReadonlyMap<string, ServedResource>

  constructor(resources: readonly (ServedResource | ServedResourceTemplate)[]) {
    const fixed = resources.filter((resource) => resource.uri !== undefined)
    this.templates = resources.filter((resource) => resource.uri === undefined)
    this.#byUri = new Map(fixed.map((resource) => [resource.uri, resource]))
    this.listed = [...this.#byUri.values()].map(listedResource)
    this.listedTemplates = this.templates.map(listedResource)
  }

  /** Whether there is something at the address, or could be. */
  has(uri: string, sdk: ServerSdk): boolean {
    return this.#byUri.has(uri) || this.#match(uri, sdk) !== undefined
  }

  /** Throws `unknown_resource`. */
  async read(uri: string, context: ServedContext, sdk: ServerSdk): Promise<JsonObject> {
    const resource = this.#byUri.get(uri)
    if (resource) return readResult(await resource.read({ ...context, uri }), uri, resource.mimeType)
    const match = this.#match(uri, sdk)
    const content = match && (await match.template.read(match.variables, { ...context, uri }))
    if (match === undefined || content === undefined) throw unknownResource(uri)
    return readResult(content, uri, match.template.mimeType)
  }

  #match(
    uri: string,
    sdk: ServerSdk,
  ): { readonly template: ServedResourceTemplate; readonly variables: Readonly<Record<string, string>> } | undefined {
    for (const template of this.templates) {
      const found = sdk.matchUri(template.uriTemplate, uri)
      if (found) return { template, variables: decoded(found) }
    }
    return undefined
  }
}

/** The error for an address at which there is nothing. */
export function unknownResource(uri: string): Error {
  return mcpError("unknown_resource", `There is no resource "${uri}".`, { details: { uri } })
}

function decoded(variables: Readonly<Record<string, string | string[]>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, plain(String(value))]))
}

function plain(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
