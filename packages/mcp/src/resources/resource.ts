import type { JsonObject } from "@agentscope-ts/message"

/** Something that a server lets be read, as `resources/list` tells of it. */
export interface McpResource {
  readonly uri: string
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly mimeType?: string
  /** In bytes. */
  readonly size?: number
  readonly annotations?: JsonObject
}

/** A family of resources: `uriTemplate` is an RFC 6570 template of their addresses. */
export interface McpResourceTemplate {
  readonly uriTemplate: string
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly mimeType?: string
}

/** What a resource holds: text, or data in base64. */
export interface McpResourceContents {
  readonly uri: string
  readonly mimeType?: string
  readonly text?: string
  readonly blob?: string
}
