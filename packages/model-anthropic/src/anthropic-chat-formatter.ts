import type { ContentBlock, Msg, ToolResultBlock } from "@agentscope-ts/message"
import type { FormatterOptions } from "@agentscope-ts/model"
import { MediaFormatter, type PreparedMedia } from "@agentscope-ts/model/wire"
import { mediaForms } from "./media-block.ts"
import { type AnthropicBlock, type AnthropicWireMessage, cited, ownBlock, ownData, textBlock } from "./wire-message.ts"

/** Options of the Anthropic formatters. */
export interface AnthropicFormatterOptions extends FormatterOptions {
  /** Whether answers may cite the documents. Default false. */
  citations?: boolean | undefined
}

type Prepared = PreparedMedia<AnthropicBlock>

/** Messages for the Messages API, each as its own. Thinking goes back only with its signature. */
export class AnthropicChatFormatter extends MediaFormatter<AnthropicWireMessage, AnthropicBlock> {
  override readonly provider = "anthropic"
  readonly #citations: boolean

  constructor(options: AnthropicFormatterOptions = {}) {
    super(mediaForms(options.saveMedia), options)
    this.#citations = options.citations === true
  }

  /** A system message at the head stays one; the model sends it apart. */
  protected override async formatAll(messages: readonly Msg[]): Promise<AnthropicWireMessage[]> {
    const wire = await super.formatAll(messages)
    const [first, ...rest] = wire
    const isHead = messages[0]?.role === "system" && first?.content[0]?.type === "text"
    return isHead ? [{ ...first, role: "system" }, ...rest] : wire
  }

  /** Results stand first and together; calls stand last. */
  protected override wireOf(msg: Msg, media: Prepared): readonly AnthropicWireMessage[] {
    const results: AnthropicBlock[] = []
    const said: AnthropicBlock[] = []
    const calls: AnthropicBlock[] = []
    for (const block of msg.content) {
      if (block.type === "tool_result") results.push(resultOf(block, media))
      else if (block.type === "tool_use") calls.push(callOf(block))
      else {
        const part = partOf(block, msg, media)
        if (part) said.push(part)
      }
    }
    if (calls.length > 0) said.push(...calls)
    const role = msg.role === "assistant" ? "assistant" : "user"
    const own = said.length > 0 ? [{ role, content: said } as const] : []
    const wire = results.length > 0 ? [{ role: "user", content: results } as const, ...own] : own
    return this.#citations ? wire.map(cited) : wire
  }
}

function partOf(
  block: Exclude<ContentBlock, { type: "tool_result" | "tool_use" }>,
  msg: Msg,
  media: Prepared,
): AnthropicBlock | undefined {
  switch (block.type) {
    case "text":
      // no text may be blank
      return block.text.trim() === "" ? undefined : { type: "text", text: block.text, ...ownData(block.opaque) }
    case "thinking": {
      const own = ownBlock(block.opaque)
      if (own || msg.role !== "assistant") return own
      const signature = ownData(block.opaque)?.["signature"]
      return typeof signature === "string" ? { type: "thinking", thinking: block.thinking, signature } : undefined
    }
    default:
      return media.shown(block, msg)
  }
}

function callOf({ id, name, input, opaque }: ContentBlock & { type: "tool_use" }): AnthropicBlock {
  return { type: "tool_use", id, name, input, ...ownData(opaque) }
}

function resultOf({ id, output, state }: ToolResultBlock, media: Prepared): AnthropicBlock {
  const content = output.flatMap((block): readonly AnthropicBlock[] => {
    if (block.type === "text") return block.text.trim() === "" ? [] : [{ type: "text", text: block.text }]
    const part = media.part(block)
    return part ? [part] : []
  })
  const failed = state === "error" || state === "interrupted" || state === "denied"
  // an error must say something
  if (failed && content.length === 0) content.push(textBlock(`The call ended without output: ${state}.`))
  return {
    type: "tool_result",
    tool_use_id: id,
    ...(content.length > 0 && { content }),
    ...(failed && { is_error: true }),
  }
}
