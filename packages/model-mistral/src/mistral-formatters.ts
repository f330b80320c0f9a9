import type { ContentBlock, Msg } from "@agentscope-ts/message"
import type { FormatAccess, FormatterOptions } from "@agentscope-ts/model"
import { rolesInOrder } from "@agentscope-ts/model/wire"
import {
  OpenAIChatFormatter,
  type OpenAIContentPart,
  OpenAIMultiAgentFormatter,
  type OpenAIWireMessage,
} from "@agentscope-ts/model-openai"

/** What an assistant says between tool results and a user's next words (`invalid_request_message_order`). */
const bridge = "I have the results."
const bridgeMessage: OpenAIWireMessage = { role: "assistant", content: bridge }
const said = { id: "bridge", name: "assistant", timestamp: "1970-01-01T00:00:00.000Z" }
const bridgeMsg: Msg = { ...said, role: "assistant", content: [{ type: "text", text: bridge }] }
/** Messages of assistants that the answer is to go on with. */
export const prefixes = new WeakSet<Msg>()

/** Messages for Mistral, each as its own. Thinking goes back as parts of its own. */
export class MistralChatFormatter extends OpenAIChatFormatter {
  constructor(options: FormatterOptions = {}) {
    super({ ...options, provider: "mistral" })
  }

  override turns(messages: readonly Msg[]): readonly Msg[] {
    return rolesInOrder(super.turns(messages), bridgeMsg, (msg) => this.#speaks(msg))
  }

  override formatMessage(msg: Msg): readonly OpenAIWireMessage[] | undefined {
    const wire = super.formatMessage(msg)
    return wire && ownWire(wire, msg)
  }

  /** Whether a message of results ends with a user's, which shows their pictures. */
  #speaks({ content }: Msg): boolean {
    const shows = (block: ContentBlock) =>
      block.type === "tool_result" && block.output.some(({ type }) => type === "image")
    return this.promotes && content.some(shows)
  }

  protected override async formatAll(messages: readonly Msg[], access?: FormatAccess): Promise<OpenAIWireMessage[]> {
    const wire: OpenAIWireMessage[] = []
    for (const msg of messages) wire.push(...ownWire(await super.formatAll([msg], access), msg))
    return rolesInOrder(wire, bridgeMessage)
  }
}

/** Messages of several speakers for Mistral: what they say becomes one user message between `<history>` tags, run by run. */
export class MistralMultiAgentFormatter extends OpenAIMultiAgentFormatter {
  constructor(options: FormatterOptions = {}) {
    super({ ...options, provider: "mistral" })
  }

  protected override async formatAll(messages: readonly Msg[], access?: FormatAccess): Promise<OpenAIWireMessage[]> {
    return rolesInOrder(ownWire(await super.formatAll(messages, access)), bridgeMessage)
  }
}

function ownWire(wire: readonly OpenAIWireMessage[], msg?: Msg): readonly OpenAIWireMessage[] {
  const own = wire.map(({ content, ...message }) => {
    const prefix = msg && prefixes.has(msg) && { prefix: true }
    const thought = message.role === "assistant" && msg?.content.some(({ type }) => type === "thinking")
    const parts = thought ? msg?.content.flatMap(spoken) : typeof content === "object" ? content?.map(partOf) : content
    // parts of Mistral's own
    return { ...message, ...prefix, content: (parts ?? null) as OpenAIContentPart[] }
  })
  if (msg?.role !== "tool") return own
  // the pictures of results are shown by a user's message
  return rolesInOrder(own, bridgeMessage)
}

function spoken(block: ContentBlock): object[] {
  if (block.type === "text") return [{ type: "text", text: block.text }]
  return block.type === "thinking" ? [{ type: "thinking", thinking: [{ type: "text", text: block.thinking }] }] : []
}

function partOf(part: OpenAIContentPart): object {
  if (part.type === "input_audio") return { type: "input_audio", input_audio: part.input_audio.data }
  if (part.type !== "file") return part
  return { type: "document_url", document_url: part.file.file_data, document_name: part.file.filename }
}
