import { ambient } from "@agentscope-ts/message"
import type { Transport } from "./exchange.ts"
import { FetchTransport } from "./fetch-transport.ts"
import { NodeTransport } from "./node-transport.ts"

let node: NodeTransport | undefined

/**
 * The way to send: the given `fetch`, a tape's (see `Ambient.transport`), Node's own HTTP client with kept connections,
 * shared by the whole process, or the runtime's `fetch` elsewhere.
 */
export function transportOf(fetch?: typeof globalThis.fetch): Transport {
  const wrap = ambient().transport
  if (wrap) return new FetchTransport(wrap(fetch ?? globalThis.fetch))
  if (fetch) return new FetchTransport(fetch)
  if (!isNode()) return new FetchTransport(globalThis.fetch)
  node ??= new NodeTransport()
  return node
}

/** Bun and Deno have the same modules, but their own `fetch` is their fast way. */
function isNode(): boolean {
  const versions = globalThis.process?.versions as Record<string, string | undefined> | undefined
  return versions?.["node"] !== undefined && versions["bun"] === undefined && versions["deno"] === undefined
}
