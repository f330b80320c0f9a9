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
  return all.length > 0 && all.every(isMessage) ? all.map(withoutNull) : []
}

/** Servers that write all members of an answer give the one that there is not as null. */
function withoutNull(message: RpcMessage): RpcMessage {
  const { result, error, ...rest } = message as RpcMessage & { readonly result?: unknown; readonly error?: unknown }
  if (error === null && result !== undefined) return { ...rest, result } as RpcMessage
  return result === null && typeof error === "object" ? ({ ...rest, error } as RpcMessage) : message
}

/** Reads a line: messages, noise, or both where a banner or a second message had no line break of its own. */
export function readRpcLine(line: string): RpcLine {
  const text = line.replace(/^\uFEFF/, "").trim()
  if (text === "") return { messages: [], noise: "" }
  const whole = messagesIn(text)
  if (whole.length > 0) return { messages: whole, noise: "" }
  return text.includes('"jsonrpc"') ? searchLine(text) : { messages: [], noise: text }
}

/** So many objects of a line are looked at, and so many braces that nothing closes. */
const longestSearch = 1000

function searchLine(text: string): RpcLine {
  const messages: RpcMessage[] = []
  let noise = ""
  let from = 0
  let at = text.indexOf("{")
  let unclosed = 0
  for (let looks = 0; at >= 0 && looks < longestSearch && unclosed < 10; looks++) {
    const end = endOfObject(text, at)
    // part of a message that broke off, whatever is in it
    if (end === undefined && /^\{\s*"/.test(text.slice(at, at + 100))) break
    if (end === undefined) unclosed += 1
    const found = end === undefined ? [] : messagesIn(text.slice(at, end))
    if (found.length > 0) {
      messages.push(...found)
      noise += text.slice(from, at)
      from = end as number
    }
    at = text.indexOf("{", end ?? at + 1)
  }
  noise += text.slice(from)
  return { messages, noise: noise.trim() === "" ? "" : noise }
}

/** Behind the brace that closes the one at `from`. */
function endOfObject(text: string, from: number): number | undefined {
  let depth = 0
  const marks = /["{}]/g
  marks.lastIndex = from
  for (let mark = marks.exec(text); mark; mark = marks.exec(text)) {
    if (mark[0] === '"') {
      const end = endOfString(text, marks.lastIndex)
      if (end === undefined) return undefined
      marks.lastIndex = end
    } else {
      depth += mark[0] === "{" ? 1 : -1
      if (depth === 0) return marks.lastIndex
    }
  }
  return undefined
}

function endOfString(text: string, from: number): number | undefined {
  const marks = /\\.|"/gs
  marks.lastIndex = from
  for (let mark = marks.exec(text); mark; mark = marks.exec(text)) if (mark[0] === '"') return marks.lastIndex
  return undefined
}
