import type { JsonObject, Msg } from "@agentscope-ts/message"
import type { FormatterOptions } from "@agentscope-ts/model"
import { type FunctionCall, MediaFormatter, type PreparedMedia } from "@agentscope-ts/model/wire"
import { mediaForms, type OllamaImage } from "./media-forms.ts"
import type { OllamaWireMessage } from "./wire-message.ts"

type Prepared = PreparedMedia<string | OllamaImage>

/**
 * Messages for Ollama, each as its own, with pictures as base64. Thinking goes back with the tool calls that it led to, and
 * only there; sounds, films and documents are left out, as Ollama has no form for them.
 */
export class OllamaChatFormatter extends MediaFormatter<OllamaWireMessage, string | OllamaImage> {
  override readonly provider = "ollama"

  constructor(options: FormatterOptions = {}) {
    super(mediaForms(options.promoteToolResultImages), options)
  }

  protected override get promotes(): boolean {
    return this.options.promoteToolResultImages === true
  }

  protected override wireOf({ role, content }: Msg, media: Prepared): readonly OllamaWireMessage[] {
    const wire: OllamaWireMessage[] = []
    const promoted: OllamaWireMessage[] = []
    const parts: (string | OllamaImage)[] = []
    const thinking: string[] = []
    const calls: FunctionCall<JsonObject>[] = []
    for (const block of content) {
      if (block.type === "text") parts.push(block.text)
      else if (block.type === "thinking") thinking.push(block.thinking)
      else if (block.type === "tool_use") {
        const { id, name, input } = block
        calls.push({ id, type: "function", function: { name, arguments: input } })
      } else if (block.type === "tool_result") {
        const [text, shown] = this.named(block, media, (line) => line)
        wire.push({ role: "tool", tool_call_id: block.id, content: text, name: block.name })
        if (shown.length > 0) promoted.push(spoken("user", shown))
      } else if (role !== "assistant") {
        const image = media.part(block)
        if (image) parts.push(image)
      }
    }
    wire.push(...promoted)
    if (parts.length === 0 && calls.length === 0) return wire
    const ledTo = calls.length > 0 && {
      ...(thinking.length > 0 && { thinking: thinking.join("\n") }),
      tool_calls: calls,
    }
    wire.push({ ...spoken(role, parts), ...ledTo })
    return wire
  }
}

/** A message of these texts, joined by lines, and images. */
export function spoken(role: string, parts: readonly (string | OllamaImage)[]): OllamaWireMessage {
  const texts = parts.filter((part) => typeof part === "string")
  const images = parts.flatMap((part) => (typeof part === "string" ? [] : [part.base64]))
  return { role, content: texts.join("\n") || null, ...(images.length > 0 && { images }) }
}
