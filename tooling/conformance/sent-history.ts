/** A tool call or a result as a request carries it; `place` is the message or item that holds it. */
export interface SentCall {
  readonly kind: "call" | "result"
  /** Absent where the wire has none. */
  readonly id: string | undefined
  readonly name: string | undefined
  /** Arguments or output, as text. */
  readonly text: string
  readonly place: number
}

type Fields = Readonly<Record<string, unknown>>
const fields = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {})
const list = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fields) : [])
const text = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""))
const name = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/** Chat Completions, DashScope and Ollama: calls in `tool_calls` of a message, results as messages. */
const ofMessages = (message: Fields, place: number): SentCall[] => {
  const calls = list(message["tool_calls"]).map((call): SentCall => {
    const one = fields(call["function"])
    return { kind: "call", id: name(call["id"]), name: name(one["name"]), text: text(one["arguments"]), place }
  })
  if (message["role"] !== "tool") return calls
  const id = name(message["tool_call_id"])
  return [
    { kind: "result", id, name: name(message["name"] ?? message["tool_name"]), text: text(message["content"]), place },
  ]
}

/** Anthropic: blocks of messages. */
const ofBlocks = (message: Fields, place: number): SentCall[] =>
  list(message["content"]).flatMap((block): SentCall[] => {
    if (block["type"] === "tool_use")
      return [{ kind: "call", id: name(block["id"]), name: name(block["name"]), text: text(block["input"]), place }]
    if (block["type"] !== "tool_result") return []
    return [{ kind: "result", id: name(block["tool_use_id"]), name: undefined, text: text(block["content"]), place }]
  })

/** Gemini: parts of contents. */
const ofParts = (content: Fields, place: number): SentCall[] =>
  list(content["parts"]).flatMap((part): SentCall[] => {
    const call = fields(part["functionCall"])
    const result = fields(part["functionResponse"])
    if (part["functionCall"])
      return [{ kind: "call", id: name(call["id"]), name: name(call["name"]), text: text(call["args"]), place }]
    if (!part["functionResponse"]) return []
    return [
      { kind: "result", id: name(result["id"]), name: name(result["name"]), text: text(result["response"]), place },
    ]
  })

/** The Responses API: items of the input. */
const ofItems = (item: Fields, place: number): SentCall[] => {
  if (item["type"] === "function_call")
    return [{ kind: "call", id: name(item["call_id"]), name: name(item["name"]), text: text(item["arguments"]), place }]
  if (item["type"] !== "function_call_output") return []
  return [{ kind: "result", id: name(item["call_id"]), name: undefined, text: text(item["output"]), place }]
}

/** The calls and results of a request's body, in order, whatever the wire. */
export function sentCalls(body: unknown): SentCall[] {
  const top = fields(body)
  if (Array.isArray(top["contents"])) return list(top["contents"]).flatMap(ofParts)
  if (Array.isArray(top["input"])) return list(top["input"]).flatMap(ofItems)
  const messages = list(top["messages"] ?? fields(top["input"])["messages"])
  return messages.flatMap((message, place) => [...ofMessages(message, place), ...ofBlocks(message, place)])
}

/** What is wrong with how calls and results stand to each other: each call has its result right after its turn. */
export function pairingProblems(calls: readonly SentCall[]): string[] {
  const problems: string[] = []
  const ids = calls.filter(({ kind }) => kind === "call").flatMap(({ id }) => id ?? [])
  if (new Set(ids).size < ids.length) problems.push(`ids occur twice: ${ids.join(", ")}`)
  for (let i = 0; i < calls.length; ) {
    const turn = runFrom(calls, i, "call")
    const results = runFrom(calls, i + turn.length, "result")
    if (turn.length === 0) problems.push(`a result without a call: ${results[0]?.text}`)
    if (turn.length !== results.length) problems.push(`${turn.length} calls, ${results.length} results after them`)
    for (const [k, call] of turn.entries()) {
      const result = results[k]
      if (result && result.id !== call.id) problems.push(`the result of call ${call.id} is for ${result.id}`)
      if (result?.name !== undefined && result.name !== call.name)
        problems.push(`the result of ${call.name} is of ${result.name}`)
    }
    const [last, first] = [turn.at(-1)?.place ?? 0, results[0]?.place ?? 0]
    if (results.length > 0 && first - last > 1)
      problems.push(`something stands between call ${turn.at(-1)?.id} and its result`)
    i += Math.max(turn.length + results.length, 1)
  }
  return problems
}

function runFrom(calls: readonly SentCall[], from: number, kind: SentCall["kind"]): readonly SentCall[] {
  let end = from
  while (calls[end]?.kind === kind) end++
  return calls.slice(from, end)
}
