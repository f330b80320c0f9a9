import {
  assistantMsg,
  type ContentBlock,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  type Msg,
  systemMsg,
  type StopReason,
  type TextBlock,
  type ToolResultBlock,
  type ToolUseBlock,
  toolResultMsg,
  userMsg,
  type MediaBlock,
} from "@agentscope-ts/message"
import type { ChatModel, ChatParams, ChatRequest, ChatResponse, ToolChoice, ToolSchema } from "@agentscope-ts/model"
import { mcpError } from "../error.ts"
import { asObject, asString } from "../sdk/session.ts"
import { contentBlock } from "../tools/content-blocks.ts"
import type { SamplingHandler, SamplingRequest, SamplingResult } from "./sampling-request.ts"

const asList = (value: unknown): readonly JsonValue[] =>
  Array.isArray(value) ? (value as readonly JsonValue[]) : value === undefined ? [] : [value as JsonValue]

function toolUse(block: JsonObject): ToolUseBlock {
  return {
    type: "tool_use",
    id: asString(block["id"]) ?? "",
    name: asString(block["name"]) ?? "",
    input: asObject(block["input"]),
  }
}

function toolResult(block: JsonObject, names: ReadonlyMap<string, string>): ToolResultBlock {
  const id = asString(block["toolUseId"]) ?? ""
  return {
    type: "tool_result",
    id,
    name: names.get(id) ?? "tool",
    output: asList(block["content"]).map(contentBlock),
    state: block["isError"] === true ? "error" : "success",
  }
}

/** The messages of a sampling request as ours. */
export function samplingMessages({ messages, systemPrompt }: SamplingRequest): readonly Msg[] {
  const all: Msg[] = systemPrompt === undefined || systemPrompt === "" ? [] : [systemMsg(systemPrompt)]
  const names = new Map<string, string>()
  for (const { role, content } of messages) {
    const blocks = asList(content).map(asObject)
    const results = blocks.filter(({ type }) => type === "tool_result")
    if (results.length > 0) all.push(toolResultMsg(results.map((block) => toolResult(block, names))))
    const others: ContentBlock[] = []
    for (const block of blocks) {
      if (block["type"] === "tool_result") continue
      if (block["type"] !== "tool_use") others.push(contentBlock(block))
      else {
        const use = toolUse(block)
        names.set(use.id, use.name)
        others.push(use)
      }
    }
    if (others.length === 0) continue
    if (role === "assistant") all.push(assistantMsg(others as readonly Exclude<ContentBlock, ToolResultBlock>[]))
    else all.push(userMsg(others.filter((block) => block.type !== "tool_use") as (TextBlock | MediaBlock)[]))
  }
  return all
}

function toolChoice({ toolChoice: choice }: SamplingRequest): ToolChoice | undefined {
  const mode = choice?.["mode"]
  return mode === "auto" || mode === "none" || mode === "required" ? mode : undefined
}

function toolSchemas({ tools }: SamplingRequest): readonly ToolSchema[] | undefined {
  return tools?.map(({ name, description, inputSchema }) => ({
    name: asString(name) ?? "",
    ...(typeof description === "string" && { description }),
    parameters: (inputSchema ?? { type: "object", properties: {} }) as JsonSchema,
  }))
}

/** A sampling request as a request to one of our models. */
export function chatRequest(request: SamplingRequest, signal: AbortSignal): ChatRequest {
  const { maxTokens, temperature, stopSequences } = request
  const params: ChatParams = {
    ...(maxTokens !== undefined && { maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(stopSequences !== undefined && { stop: stopSequences }),
  }
  const tools = toolSchemas(request)
  const choice = tools && toolChoice(request)
  return {
    messages: samplingMessages(request),
    params,
    signal,
    ...(tools && { tools }),
    ...(choice && { toolChoice: choice }),
  }
}

const stopReasons: Partial<Record<StopReason, string>> = { stop: "endTurn", length: "maxTokens", tool_use: "toolUse" }

/** A model's answer as the protocol has it. Reasoning stays here. */
export function samplingResult(response: ChatResponse, withTools: boolean): SamplingResult {
  const content: JsonObject[] = []
  for (const block of response.content) {
    if (block.type === "text") content.push({ type: "text", text: block.text })
    else if (block.type === "tool_use") {
      content.push({ type: "tool_use", id: block.id, name: block.name, input: block.input })
    } else if ((block.type === "image" || block.type === "audio") && block.source.type === "base64") {
      content.push({ type: block.type, data: block.source.data, mimeType: block.source.mediaType })
    }
  }
  if (content.length === 0) content.push({ type: "text", text: "" })
  const stopReason = stopReasons[response.stopReason] ?? response.stopReason
  // several blocks belong to the form with tools; before it, a message had one
  const said = withTools || content.length > 1 ? content : (content[0] as JsonObject)
  return { model: response.model, role: "assistant", content: said, stopReason }
}

/** The answer to `sampling/createMessage`: by a model, or by whoever is in its place. */
export async function answerSampling(
  params: JsonObject,
  sampling: ChatModel | SamplingHandler,
  signal: AbortSignal,
): Promise<JsonObject> {
  if (!Array.isArray(params["messages"])) throw mcpError("invalid_input", "The sampling request has no messages.")
  const request = params as unknown as SamplingRequest
  if (typeof sampling === "function") return (await sampling(request, { signal })) as unknown as JsonObject
  const response = await sampling.generate(chatRequest(request, signal))
  return samplingResult(response, request.tools !== undefined) as unknown as JsonObject
}
