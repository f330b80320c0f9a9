import {
  assistantMsg,
  type ContentBlock,
  type JsonObject,
  type JsonValue,
  type Msg,
  textOf,
  userMsg,
} from "@agentscope-ts/message"
import { mcpError } from "../error.ts"
import { contentOf } from "./content.ts"
import type { Sampled, SamplingOptions } from "./mcp-session.ts"

/** The params of `sampling/createMessage`. `lists`: whether the client takes several blocks in one message. */
export function samplingParams(
  messages: string | readonly Msg[],
  options: SamplingOptions,
  lists: boolean,
): JsonObject {
  const { maxTokens, systemPrompt, temperature, stop, tools, toolChoice, modelPreferences } = options
  const given = typeof messages === "string" ? [userMsg(messages)] : messages
  const system = [systemPrompt, ...given.filter(({ role }) => role === "system").map((msg) => textOf(msg))].filter(
    Boolean,
  )
  return {
    messages: given.filter(({ role }) => role !== "system").flatMap((msg) => wireMessages(msg, lists)),
    maxTokens,
    ...(system.length > 0 && { systemPrompt: system.join("\n\n") }),
    ...(temperature !== undefined && { temperature }),
    ...(stop && { stopSequences: stop }),
    ...(modelPreferences && { modelPreferences }),
    ...(tools && {
      tools: tools.map(({ name, description, parameters }) => ({
        name,
        ...(description !== undefined && { description }),
        inputSchema: { type: "object", ...parameters } as JsonObject,
      })),
    }),
    ...(toolChoice && { toolChoice: { mode: toolChoice } }),
  }
}

function wireMessages(msg: Msg, lists: boolean): JsonObject[] {
  const role = msg.role === "assistant" ? "assistant" : "user"
  const content = msg.content.filter(({ type }) => type !== "thinking").map(wireBlock)
  if (content.length > 1 && lists) return [{ role, content }]
  return content.map((block) => ({ role, content: block }))
}

function wireBlock(block: ContentBlock): JsonObject {
  if (block.type === "tool_use") return { type: "tool_use", id: block.id, name: block.name, input: block.input }
  if (block.type === "tool_result") {
    const { id, output, state } = block
    return { type: "tool_result", toolUseId: id, content: output.map(contentOf), isError: state !== "success" }
  }
  if (block.type === "thinking") return { type: "text", text: "" }
  return contentOf(block)
}

/** What the client's model answered; throws `invalid_response` for what is no answer. */
export function sampledOf(result: JsonObject): Sampled {
  const { role, model, content, stopReason } = result
  const blocks = (Array.isArray(content) ? content : [content]) as readonly JsonValue[]
  if ((role !== "assistant" && role !== "user") || typeof model !== "string") throw unreadable(result)
  const msg = assistantMsg(blocks.map((block) => blockOf(block, result)))
  return { msg, model, ...(typeof stopReason === "string" && { stopReason }) }
}

function blockOf(value: JsonValue, result: JsonObject): Exclude<ContentBlock, { type: "tool_result" }> {
  const block = (typeof value === "object" && value !== null ? value : {}) as JsonObject
  const { type, text, data, mimeType, id, name, input } = block
  if (type === "text" && typeof text === "string") return { type, text }
  if ((type === "image" || type === "audio") && typeof data === "string" && typeof mimeType === "string") {
    return { type, source: { type: "base64", mediaType: mimeType, data } }
  }
  if (type === "tool_use" && typeof id === "string" && typeof name === "string") {
    return { type, id, name, input: (input ?? {}) as JsonObject }
  }
  throw unreadable(result)
}

function unreadable(result: JsonObject): Error {
  const shown = JSON.stringify(result).slice(0, 200)
  return mcpError("invalid_response", `The client's answer to sampling/createMessage is none: ${shown}`)
}
