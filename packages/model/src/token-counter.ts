import type { ContentBlock, Msg } from "@agentscope-ts/message"
import type { ToolSchema } from "./chat-request.ts"

/** Says how many tokens messages and tool schemas take, exactly or by estimate. */
export interface TokenCounter {
  count(messages: readonly Msg[], tools?: readonly ToolSchema[]): Promise<number>
}

// what a picture or a sound comes to where nothing better is known
const perMedia = 1000
// role, name and separators of one message
const perMessage = 4

// a message is readonly and counted with every call: it is measured once
const measured = new WeakMap<Msg, number>()

/** An estimate that needs no vocabulary and no network: a token is four bytes of UTF-8, a medium a thousand tokens. */
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
      return perMedia
  }
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
