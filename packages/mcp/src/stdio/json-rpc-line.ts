/** A JSON-RPC message: a request, a notification or an answer. */
export interface RpcMessage {
  readonly jsonrpc: "2.0"
  readonly id?: string | number | null
  readonly method?: string
}

/** What a line on a server's standard output holds. */
export interface RpcLine {
  readonly messages: readonly RpcMessage[]
  /** What is there beside messages. */
  readonly noise: string
}

const isMessage = (value: unknown): value is RpcMessage =>
  typeof value === "object" && value !== null && "jsonrpc" in value && value.jsonrpc === "2.0"

function messagesIn(text: string): readonly RpcMessage[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return []
  }
  // batches belong to the protocol of 2025-03-26
  const all = Array.isArray(value) ? (value as readonly unknown[]) : [value]
  return all.length > 0 && all.every(isMessage) ? all : []
}

/** Reads a line: messages, noise, or a message after a banner that ended without a line break. */
export function readRpcLine(line: string): RpcLine {
  const text = line.replace(/^\uFEFF/, "").trim()
  if (text === "") return { messages: [], noise: "" }
  const whole = messagesIn(text)
  if (whole.length > 0) return { messages: whole, noise: "" }
  const at = text.search(/\{\s*"jsonrpc"/)
  const messages = at > 0 ? messagesIn(text.slice(at)) : []
  return { messages, noise: messages.length > 0 ? text.slice(0, at) : text }
}
