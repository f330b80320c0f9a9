import type { BlockType, Msg, ToolResultBlock } from "@agentscope-ts/message"
import type { FormatterOptions } from "@agentscope-ts/model"
import {
  functionCall,
  isInMemory,
  type MessageSaid,
  type PreparedMedia,
  promotedParts,
  ToolRoleFormatter,
} from "@agentscope-ts/model/wire"
import { mediaForms, mediaKinds, namedPart } from "./media-part.ts"
import type { DashScopeContentPart, DashScopeWireMessage } from "./wire-message.ts"

/** Options of the DashScope formatters. */
export interface DashScopeFormatterOptions extends FormatterOptions {
  /** As `promoteToolResultImages`, for sounds. Default false. */
  promoteToolResultAudios?: boolean | undefined
  /** As `promoteToolResultImages`, for films. Default false. */
  promoteToolResultVideos?: boolean | undefined
}

/**
 * Messages for DashScope, each as its own. Local media are sent as `data:` URLs, since HTTP has no files. Thinking goes back
 * as `reasoning_content` with the tool calls that it led to, and only there; media of assistant messages stay behind.
 */
export class DashScopeChatFormatter extends ToolRoleFormatter<DashScopeWireMessage, DashScopeContentPart> {
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

  protected override text = textPart
  protected override message = (role: string, content: readonly DashScopeContentPart[]): DashScopeWireMessage => ({
    role,
    content,
  })

  protected override said({ role }: Msg, { parts, calls, thinking }: MessageSaid<DashScopeContentPart>) {
    const said = { role, content: contentOf(parts) }
    if (calls.length === 0) return parts.length > 0 ? said : undefined
    return { ...said, ...(thinking !== "" && { reasoning_content: thinking }), tool_calls: calls.map(functionCall) }
  }

  /** With the promoted media, for a message after it and its neighbours. */
  protected override result(result: ToolResultBlock, media: PreparedMedia<DashScopeContentPart>) {
    const { text, media: named } = media.text(result)
    const promoted = named.filter(({ block }) => this.#promoted.includes(block.type))
    const shown = promotedParts<DashScopeContentPart>(result, promoted, {
      what: "media",
      text: textPart,
      // what was saved where the service can read it is shown from there
      part: ({ block, url }) => (isInMemory(block.source) && !isLocal(url) ? namedPart(block, url) : media.part(block)),
    })
    return [text, shown] as const
  }
}

/** A text as a part. */
export const textPart = (text: string): DashScopeContentPart => ({ text })

/** Text alone is one string, as the endpoint for text wants it. */
export function contentOf(parts: readonly DashScopeContentPart[]): string | readonly DashScopeContentPart[] {
  const texts = parts.flatMap((part) => ("text" in part ? [part.text] : []))
  const filled = texts.filter((text) => text !== "")
  return texts.length === parts.length && filled.length > 0 ? filled.join("\n") : parts
}

const isLocal = (url: string): boolean => /^(?:[\\/.~]|[a-z]:[\\/]|(?:file|data):)/i.test(url)
