import type { Msg, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock } from "@agentscope-ts/message"
import type { FormatterOptions } from "@agentscope-ts/model"
import { PartsFormatter, type PartsRole, type PreparedMedia } from "@agentscope-ts/model/wire"
import { mediaForms } from "./media-block.ts"
import { type AnthropicBlock, type AnthropicWireMessage, cited, ownBlock, ownData, textBlock } from "./wire-message.ts"

/** Options of the Anthropic formatters. */
export interface AnthropicFormatterOptions extends FormatterOptions {
  /** Whether answers may cite the documents. Default false. */
  citations?: boolean | undefined
}

/** Messages for the Messages API, each as its own. Thinking goes back only with its signature. */
export class AnthropicChatFormatter extends PartsFormatter<AnthropicWireMessage, AnthropicBlock> {
  override readonly provider = "anthropic"
  readonly #citations: boolean

  constructor(options: AnthropicFormatterOptions = {}) {
    super(mediaForms(options.saveMedia), options)
    this.#citations = options.citations === true
  }

  override message(role: PartsRole, content: readonly AnthropicBlock[]): AnthropicWireMessage {
    return this.#citations ? cited({ role, content }) : { role, content }
  }

  /** No text may be blank. */
  override text(text: string, block?: TextBlock): AnthropicBlock | undefined {
    return text.trim() === "" ? undefined : { ...textBlock(text), ...ownData(block?.opaque) }
  }

  protected override thinking({ thinking, opaque }: ThinkingBlock, role: Msg["role"]): AnthropicBlock | undefined {
    const own = ownBlock(opaque)
    if (own || role !== "assistant") return own
    const signature = ownData(opaque)?.["signature"]
    return typeof signature === "string" ? { type: "thinking", thinking, signature } : undefined
  }

  protected override call({ id, name, input, opaque }: ToolUseBlock): AnthropicBlock {
    return { type: "tool_use", id, name, input, ...ownData(opaque) }
  }

  protected override result(result: ToolResultBlock, media: PreparedMedia<AnthropicBlock>): AnthropicBlock {
    const { id, output, state } = result
    const shown = output.map((block) => (block.type === "text" ? this.text(block.text) : media.part(block)))
    const content = shown.filter((part) => part !== undefined)
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
}
