import type { Cassette } from "@agentscope-ts/testing"

/** What a model is to say in one turn; each text is found nowhere else. */
export interface Saying {
  readonly thinking: string
  /** A signature or encrypted reasoning, where the wire has such. */
  readonly sealed: string
  readonly text: string
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: object }[]
}

type WriteAnswer = (saying: Saying) => string

const sse = (...events: readonly object[]): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")
const namedSse = (...events: readonly { readonly type: string; readonly [field: string]: unknown }[]): string =>
  events.map((event) => `event: ${event.type}\n${sse(event)}`).join("")

const openAIChat: WriteAnswer = ({ thinking, text, calls }) => {
  const chunk = (delta: object, finish: string | null = null) => ({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: finish }],
  })
  const toolCalls = calls.map(({ id, name, input }, index) =>
    chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: JSON.stringify(input) } }] }),
  )
  return `${sse(
    chunk({ role: "assistant", reasoning_content: thinking }),
    chunk({ content: text }),
    ...toolCalls,
    chunk({}, calls.length > 0 ? "tool_calls" : "stop"),
  )}data: [DONE]\n\n`
}

const openAIResponses: WriteAnswer = ({ thinking, sealed, text, calls }) => {
  const response = { id: "resp_1", object: "response", model: "m", status: "in_progress", output: [] as object[] }
  const reasoning = {
    type: "reasoning",
    id: `rs_${sealed}`,
    summary: [{ type: "summary_text", text: thinking }],
    encrypted_content: sealed,
  }
  const content = [{ type: "output_text", text, annotations: [] }]
  const message = { type: "message", id: `msg_${sealed}`, role: "assistant", status: "completed", content }
  const functionCalls = calls.map(({ id, name, input }) => ({
    type: "function_call",
    id: `fc_${id}`,
    call_id: id,
    name,
    arguments: JSON.stringify(input),
    status: "completed",
  }))
  const output = [reasoning, message, ...functionCalls]
  const items = functionCalls.flatMap((item, i) => {
    const place = { output_index: 2 + i, item_id: item.id }
    return [
      {
        type: "response.output_item.added",
        output_index: 2 + i,
        item: { ...item, arguments: "", status: "in_progress" },
      },
      { type: "response.function_call_arguments.delta", ...place, delta: item.arguments },
      { type: "response.function_call_arguments.done", ...place, arguments: item.arguments },
      { type: "response.output_item.done", output_index: 2 + i, item },
    ]
  })
  const part = { output_index: 1, item_id: message.id, content_index: 0 }
  return namedSse(
    { type: "response.created", response },
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { ...reasoning, summary: [], encrypted_content: "" },
    },
    {
      type: "response.reasoning_summary_part.added",
      output_index: 0,
      item_id: reasoning.id,
      summary_index: 0,
      part: { type: "summary_text", text: "" },
    },
    {
      type: "response.reasoning_summary_text.delta",
      output_index: 0,
      item_id: reasoning.id,
      summary_index: 0,
      delta: thinking,
    },
    { type: "response.output_item.done", output_index: 0, item: reasoning },
    {
      type: "response.output_item.added",
      output_index: 1,
      item: { ...message, status: "in_progress", content: [] },
    },
    { type: "response.content_part.added", ...part, part: { type: "output_text", text: "", annotations: [] } },
    { type: "response.output_text.delta", ...part, delta: text },
    { type: "response.output_text.done", ...part, text },
    { type: "response.output_item.done", output_index: 1, item: message },
    ...items,
    {
      type: "response.completed",
      response: {
        ...response,
        status: "completed",
        output,
        usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
      },
    },
  )
}

const anthropic: WriteAnswer = ({ thinking, sealed, text, calls }) => {
  const block = (index: number, start: object, ...deltas: readonly object[]) => [
    { type: "content_block_start", index, content_block: start },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ]
  const usage = { input_tokens: 1, output_tokens: 1 }
  return namedSse(
    {
      type: "message_start",
      message: { id: "msg_1", type: "message", role: "assistant", model: "m", content: [], usage },
    },
    ...block(
      0,
      { type: "thinking", thinking: "", signature: "" },
      { type: "thinking_delta", thinking },
      { type: "signature_delta", signature: sealed },
    ),
    ...block(1, { type: "redacted_thinking", data: `redacted-${sealed}` }),
    ...block(2, { type: "text", text: "" }, { type: "text_delta", text }),
    ...calls.flatMap(({ id, name, input }, i) =>
      block(
        3 + i,
        { type: "tool_use", id, name, input: {} },
        { type: "input_json_delta", partial_json: JSON.stringify(input) },
      ),
    ),
    { type: "message_delta", delta: { stop_reason: calls.length > 0 ? "tool_use" : "end_turn" }, usage },
    { type: "message_stop" },
  )
}

const gemini: WriteAnswer = ({ thinking, sealed, text, calls }) => {
  const chunk = (parts: readonly object[], finish?: string) => ({
    candidates: [{ content: { role: "model", parts }, index: 0, ...(finish && { finishReason: finish }) }],
    responseId: "r1",
  })
  // the first of parallel calls is signed, and no call has an id
  const functionCalls = calls.map(({ name, input }, i) => ({
    functionCall: { name, args: input },
    ...(i === 0 && { thoughtSignature: sealed }),
  }))
  const signed = calls.length > 0 ? { text } : { text, thoughtSignature: sealed }
  return sse(chunk([{ text: thinking, thought: true }]), chunk([signed]), chunk(functionCalls, "STOP"))
}

const dashScope: WriteAnswer = ({ thinking, text, calls }) => {
  const chunk = (message: object, finish = "null") => ({
    output: { choices: [{ message: { role: "assistant", content: [], ...message }, finish_reason: finish }] },
    request_id: "r1",
  })
  const toolCalls = calls.map(({ id, name, input }, index) => ({
    index,
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(input) },
  }))
  return sse(
    chunk({ reasoning_content: thinking }),
    chunk({ content: [{ text }] }),
    ...toolCalls.map((call) => chunk({ tool_calls: [call] })),
    chunk({}, calls.length > 0 ? "tool_calls" : "stop"),
  )
}

const ollama: WriteAnswer = ({ thinking, text, calls }) => {
  const line = (message: object, done = false) => {
    const end = done ? { done_reason: "stop", prompt_eval_count: 1, eval_count: 1 } : {}
    return `${JSON.stringify({ model: "m", created_at: "2026-12-01T00:00:00Z", message: { role: "assistant", content: "", ...message }, done, ...end })}\n`
  }
  const toolCalls = calls.map(({ name, input }) => ({ function: { name, arguments: input } }))
  const told = toolCalls.length > 0 ? [line({ tool_calls: toolCalls })] : []
  return [line({ thinking }), line({ content: text }), ...told, line({}, true)].join("")
}

const wires: Readonly<Record<string, { readonly path: string; readonly write: WriteAnswer }>> = {
  "openai-chat": { path: "/chat/completions", write: openAIChat },
  "openai-responses": { path: "/responses", write: openAIResponses },
  "anthropic-messages": { path: "/v1/messages", write: anthropic },
  "gemini-stream": { path: "/v1beta/models/m:streamGenerateContent", write: gemini },
  "dashscope-multimodal": { path: "/api/v1/services/aigc/multimodal-generation/generation", write: dashScope },
  "ollama-chat": { path: "/api/chat", write: ollama },
}

/** An interchange in which a model says this over the wire format `api`. */
export function answerIn(api: string, saying: Saying): Cassette {
  const wire = wires[api]
  if (wire === undefined) throw new TypeError(`no answers are written for the wire format ${api}`)
  const type = api === "ollama-chat" ? "application/x-ndjson" : "text/event-stream"
  return {
    provider: api,
    api,
    model: null,
    categories: ["stream"],
    request: { method: "POST", path: wire.path },
    response: { status: 200, headers: { "content-type": type }, body: wire.write(saying) },
  }
}
