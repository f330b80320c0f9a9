// Google's Gemini API: the model in the path, whole calls in a chunk, figures in every chunk.
import { sseReader } from "./sse-reader.mjs"

let responses = 0

export const name = "gemini"
export const pathOf = (model, stream) =>
  `/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`
export const streams = (path) => path.includes(":streamGenerateContent")
export const modelOf = (path) => /models\/([^:]+):/.exec(path)[1]
export const resultMark = '"functionResponse":'
export const contentType = "text/event-stream"

function answer(parts, candidatesTokenCount, finishReason) {
  return {
    candidates: [{ content: { parts, role: "model" }, ...(finishReason && { finishReason }), index: 0 }],
    usageMetadata: {
      promptTokenCount: 100,
      candidatesTokenCount,
      totalTokenCount: 100 + candidatesTokenCount,
      promptTokensDetails: [{ modality: "TEXT", tokenCount: 100 }],
    },
    modelVersion: "gemini-bench",
    responseId: `r${responses}`,
  }
}

const partsOf = ({ calls }) =>
  calls.map(({ id, name, pieces }) => ({ functionCall: { name, args: JSON.parse(pieces.join("")), id } }))

export function streamed(_, message) {
  responses++
  const sse = (value) => `data: ${JSON.stringify(value)}\r\n\r\n`
  const events = message.text.map((text, i) => sse(answer([{ text }], i + 1)))
  if (message.calls.length > 0) events.push(sse(answer(partsOf(message), 20)))
  events.push(sse(answer([{ text: "" }], 20, "STOP")))
  return events
}

export function whole(_, message) {
  responses++
  const parts = message.calls.length > 0 ? partsOf(message) : [{ text: message.text.join("") }]
  return answer(parts, 20, "STOP")
}

export const client = {
  headers: { "x-goog-api-key": "bench" },
  tools: (tools) => [
    {
      functionDeclarations: tools.map(({ name, description, parameters: { type, properties, required } }) => ({
        name,
        description,
        parameters: { type, properties, required },
      })),
    },
  ],
  start: () => [],
  user: (text) => ({ role: "user", parts: [{ text }] }),
  body(_, contents, tools, __, system) {
    const request = { systemInstruction: { parts: [{ text: system }] }, contents }
    if (tools[0].functionDeclarations.length > 0) request.tools = tools
    return request
  },
  message: () => ({ role: "model", parts: [] }),
  reader: (message, onDelta) => sseReader((data) => readChunk(message.parts, JSON.parse(data), onDelta)),
  parsed: ({ candidates }) => candidates[0].content,
  calls(message) {
    const calls = message.parts.flatMap(({ functionCall }) => functionCall ?? [])
    return calls.length > 0 ? calls.map(({ id, name, args }) => ({ id, name, input: args })) : undefined
  },
  text: (message) => message.parts.map((part) => part.text ?? "").join(""),
  results: (outputs) => [
    {
      role: "user",
      parts: outputs.map(({ call: { id, name }, output }) => ({
        functionResponse: { id, name, response: { output } },
      })),
    },
  ],
}

function readChunk(parts, chunk, onDelta) {
  for (const part of chunk.candidates[0].content.parts) {
    if (!part.text) {
      if (part.functionCall) parts.push(part)
      continue
    }
    const last = parts.at(-1)
    if (last?.text === undefined) parts.push({ text: part.text })
    else last.text += part.text
    onDelta?.(part.text)
  }
}
