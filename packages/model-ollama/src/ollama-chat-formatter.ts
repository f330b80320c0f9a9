import type { JsonObject, Msg, ToolUseBlock } from "@agentscope-ts/message"
import type { FormatterOptions } from "@agentscope-ts/model"
import { type FunctionCall, type MessageSaid, ToolRoleFormatter } from "@agentscope-ts/model/wire"
import { mediaForms, type OllamaImage } from "./media-forms.ts"
import type { OllamaWireMessage } from "./wire-message.ts"

/**
 * Messages for Ollama, each as its own, with pictures as base64. Thinking goes back with the tool calls that it led to, and
 * only there; sounds, films and documents are left out, as Ollama has no form for them.
 */
export class OllamaChatFormatter extends ToolRoleFormatter<OllamaWireMessage, string | OllamaImage> {
  override readonly provider = "ollama"

  constructor(options: FormatterOptions = {}) {
    super(mediaForms(options.promoteToolResultImages), options)
  }

  protected override text = (text: string): string => text
  protected override message = spoken

  protected override said({ role }: Msg, { parts, calls, thinking }: MessageSaid<string | OllamaImage>) {
    const said = spoken(role, parts)
    if (calls.length === 0) return parts.length > 0 ? said : undefined
    return { ...said, ...(thinking !== "" && { thinking }), tool_calls: calls.map(calling) }
  }
}

const calling = ({ id, name, input }: ToolUseBlock): FunctionCall<JsonObject> => ({
  id,
  type: "function",
  function: { name, arguments: input },
})

/** A message of these texts, joined by lines, and images. */
export function spoken(role: string, parts: readonly (string | OllamaImage)[]): OllamaWireMessage {
  const texts = parts.filter((part) => typeof part === "string")
  const images = parts.flatMap((part) => (typeof part === "string" ? [] : [part.base64]))
  return { role, content: texts.join("\n") || null, ...(images.length > 0 && { images }) }
}
