import type { ContentBlock, MediaBlock, Msg } from "@agentscope-ts/message"
import type { ToolSchema } from "./chat-request.ts"

/** Says how many tokens messages and tool schemas take, exactly or by estimate. */
export interface TokenCounter {
  count(messages: readonly Msg[], tools?: readonly ToolSchema[]): Promise<number>
}

/** What a medium comes to where only its address is known; a picture always. */
const perMedia = { image: 1000, audio: 1000, video: 5000, file: 3000 } as const
/** Of one that is there: sound and film at usual rates; a document's pages are mostly pictures and fonts. */
const bytesPerToken = { audio: 500, video: 500, file: 30 } as const
// role, name and separators of one message
const perMessage = 4

// a message is readonly and counted with every call: it is measured once
const measured = new WeakMap<Msg, number>()

/**
 * An estimate that needs no vocabulary and no network: a token is four bytes of UTF-8. A picture is 1,000 tokens; sound and
 * film one per 500 bytes, a document one per 30 (a text one per 4), and where only their address is known 1,000, 5,000
 * and 3,000.
 */
export class CharTokenCounter implements TokenCounter {
  count(messages: readonly Msg[], tools: readonly ToolSchema[] = []): Promise<number> {
    let sum = 0
    for (const msg of messages) {
      let tokens = measured.get(msg)
      if (tokens === undefined) {
        tokens = perMessage + msg.content.reduce((sum, block) => sum + blockTokens(block), 0)
        measured.set(msg, tokens)
      }
      sum += tokens
    }
    if (tools.length > 0) sum += textTokens(JSON.stringify(tools))
    return Promise.resolve(sum)
  }
}

function blockTokens(block: ContentBlock): number {
  switch (block.type) {
    case "text":
      return textTokens(block.text)
    case "thinking":
      return textTokens(block.thinking)
    case "tool_use":
      return textTokens(block.name) + textTokens(JSON.stringify(block.input))
    case "tool_result":
      return block.output.reduce((sum, part) => sum + blockTokens(part), 0)
    default:
      return mediaTokens(block)
  }
}

function mediaTokens({ type, source }: MediaBlock): number {
  if (type === "image" || source.type !== "base64") return perMedia[type]
  const bytes = source.data.length * 0.75
  return Math.ceil(bytes / (source.mediaType.startsWith("text/") ? 4 : bytesPerToken[type]))
}

const textTokens = (text: string): number => Math.ceil(utf8Length(text) / 4)

/** The bytes of a text in UTF-8; every runtime has it built in, but without making the bytes only this way. */
function utf8Length(text: string): number {
  let bytes = text.length
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code >= 0x80) bytes += code >= 0x800 && (code < 0xd800 || code > 0xdfff) ? 2 : 1
  }
  return bytes
}
