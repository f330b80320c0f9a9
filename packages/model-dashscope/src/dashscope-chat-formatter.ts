import type { BlockType, Msg, ToolResultBlock } from "@agentscope-ts/message"
import type { FormatterOptions } from "@agentscope-ts/model"
import {
  type FunctionCall,
  functionCall,
  isInMemory,
  MediaFormatter,
  type PreparedMedia,
  promotedParts,
} from "@agentscope-ts/model/wire"
import { mediaForms, mediaKinds, named } from "./media-part.ts"
import type { DashScopeContentPart, DashScopeWireMessage } from "./wire-message.ts"

/** Options of the DashScope formatters. */
export interface DashScopeFormatterOptions extends FormatterOptions {
  /** As `promoteToolResultImages`, for sounds. Default false. */
  promoteToolResultAudios?: boolean | undefined
  /** As `promoteToolResultImages`, for films. Default false. */
  promoteToolResultVideos?: boolean | undefined
}

type Prepared = PreparedMedia<DashScopeContentPart>

/**
 * Messages for DashScope, each as its own. Local media are sent as `data:` URLs, since HTTP has no files. Thinking goes back
 * as `reasoning_content` with the tool calls that it led to, and only there; media of assistant messages stay behind.
 */
export class DashScopeChatFormatter extends MediaFormatter<DashScopeWireMessage, DashScopeContentPart> {
  override readonly provider = "dashscope"
  readonly #promoted: readonly BlockType[]

  constructor(options: DashScopeFormatterOptions = {}) {
    const { promoteToolResultImages, promoteToolResultAudios, promoteToolResultVideos } = options
    const wanted = [promoteToolResultImages, promoteToolResultAudios, promoteToolResultVideos]
    const promoted = mediaKinds.filter((_, i) => wanted[i])
    super(mediaForms(promoted), options)
    this.#promoted = promoted
  }

  protected override get promotes(): boolean {
    return this.#promoted.length > 0
  }

  /** Whether a message is sent with media, which only the multimodal endpoint takes. */
  showsMedia({ role, content }: Msg): boolean {
    return content.some((block) =>
      block.type === "tool_result"
        ? block.output.some(({ type }) => this.#promoted.includes(type))
        : role !== "assistant" && mediaKinds.includes(block.type),
    )
  }

  protected override wireOf(msg: Msg, media: Prepared): readonly DashScopeWireMessage[] {
    const wire: DashScopeWireMessage[] = []
    const shown: DashScopeWireMessage[] = []
    const parts: DashScopeContentPart[] = []
    const calls: FunctionCall[] = []
    let thinking = ""
    for (const block of msg.content) {
      if (block.type === "text") parts.push({ text: block.text })
      else if (block.type === "thinking") thinking += thinking === "" ? block.thinking : `\n${block.thinking}`
      else if (block.type === "tool_use") calls.push(functionCall(block))
      else if (block.type === "tool_result") {
        wire.push({ role: "tool", tool_call_id: block.id, content: media.text(block).text, name: block.name })
        shown.push(...this.#shownOf(block, media))
      } else if (msg.role !== "assistant") {
        const part = media.part(block)
        if (part) parts.push(part)
      }
    }
    wire.push(...shown)
    const { role } = msg
    const content = contentOf(parts)
    if (calls.length > 0) {
      wire.push({ role, content, ...(thinking !== "" && { reasoning_content: thinking }), tool_calls: calls })
    } else if (content.length > 0) wire.push({ role, content })
    return wire
  }

  /** The promoted media of a result, as a message for after it and its neighbours. */
  #shownOf(result: ToolResultBlock, media: Prepared): readonly DashScopeWireMessage[] {
    const promoted = media.text(result).media.filter(({ block }) => this.#promoted.includes(block.type))
    const content = promotedParts<DashScopeContentPart>(result, promoted, {
      what: "media",
      text: (line) => ({ text: line }),
      // what was saved where the service can read it is shown from there
      part: ({ block, url }) => (isInMemory(block.source) && !isLocal(url) ? named(block, url) : media.part(block)),
    })
    return content.length === 0 ? [] : [{ role: "user", content }]
  }
}

/** Text alone is one string, as the endpoint for text wants it. */
export function contentOf(parts: readonly DashScopeContentPart[]): string | readonly DashScopeContentPart[] {
  const texts = parts.flatMap((part) => ("text" in part ? [part.text] : []))
  const filled = texts.filter((text) => text !== "")
  return texts.length === parts.length && filled.length > 0 ? filled.join("\n") : parts
}

const isLocal = (url: string): boolean => /^(?:[\\/.~]|[a-z]:[\\/]|(?:file|data):)/i.test(url)
