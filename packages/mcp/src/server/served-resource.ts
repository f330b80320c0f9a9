import type { JsonObject } from "@agentscope-ts/message"
import { base64Of } from "./content.ts"
import type { McpSession } from "./mcp-session.ts"

/** What reading a resource, getting a prompt or completing an argument knows of the request. */
export interface ServedContext {
  readonly session: McpSession
  /** Aborts when the client cancels the request, or goes. */
  readonly signal: AbortSignal
}

/** One part of a resource; `uri` and `mimeType` are the resource's own unless given. `blob` is bytes, or base64. */
export interface ResourcePart {
  readonly uri?: string | undefined
  readonly mimeType?: string | undefined
  readonly text?: string | undefined
  readonly blob?: Uint8Array | string | undefined
}

/** What is in a resource: text, bytes, or parts. */
export type ResourceContent = string | Uint8Array | ResourcePart | readonly ResourcePart[]

/** Proposes values for what a person has typed so far; `values` are the other arguments that are known. */
export type Completer = (
  typed: string,
  context: ServedContext & { readonly values: Readonly<Record<string, string>> },
) => readonly string[] | Promise<readonly string[]>

interface Described {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly mimeType?: string | undefined
  /** For whom (`audience`) and how important (`priority`) it is, in the protocol's words. */
  readonly annotations?: JsonObject | undefined
}

/** A resource at a fixed address. */
export interface ServedResource extends Described {
  readonly uri: string
  readonly uriTemplate?: undefined
  /** In bytes, where it is known. */
  readonly size?: number | undefined
  read(context: ServedContext & { readonly uri: string }): ResourceContent | Promise<ResourceContent>
}

/** Resources at all addresses of a form (RFC 6570), such as `notes://{year}/{id}`. */
export interface ServedResourceTemplate extends Described {
  readonly uriTemplate: string
  readonly uri?: undefined
  /** Gets the variables of the address, decoded. `undefined`: there is no such resource. */
  read(
    variables: Readonly<Record<string, string>>,
    context: ServedContext & { readonly uri: string },
  ): ResourceContent | undefined | Promise<ResourceContent | undefined>
  readonly complete?: Readonly<Record<string, Completer>> | undefined
}

/** A resource as it is listed. */
export function listedResource(resource: ServedResource | ServedResourceTemplate): JsonObject {
  const { name, title, description, mimeType, annotations } = resource
  return {
    ...(resource.uri === undefined ? { uriTemplate: resource.uriTemplate } : { uri: resource.uri }),
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(mimeType !== undefined && { mimeType }),
    ...(resource.uri !== undefined && resource.size !== undefined && { size: resource.size }),
    ...(annotations && { annotations }),
  }
}

/** The answer to `resources/read`. */
export function readResult(content: ResourceContent, uri: string, mimeType: string | undefined): JsonObject {
  const parts = Array.isArray(content) ? (content as readonly ResourcePart[]) : [partOf(content as ResourcePart)]
  return {
    contents: parts.map(({ text, blob = "", ...part }) => {
      const type = part.mimeType ?? mimeType
      return {
        uri: part.uri ?? uri,
        ...(type !== undefined && { mimeType: type }),
        ...(text === undefined ? { blob: typeof blob === "string" ? blob : base64Of(blob) } : { text }),
      }
    }),
  }
}

function partOf(content: string | Uint8Array | ResourcePart): ResourcePart {
  if (typeof content === "string") return { text: content }
  return content instanceof Uint8Array ? { blob: content } : content
}
