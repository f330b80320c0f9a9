import type { Msg } from "@agentscope-ts/message"
import { Formatter } from "@agentscope-ts/model"
import type { OllamaWireMessage } from "./wire-message.ts"

/**
 * Messages as the server reads them. A formatter gives tool results the field `name` that other wires have for the tool's
 * name, as the reference does; the server knows it as `tool_name`.
 */
export class RequestFormatter extends Formatter<OllamaWireMessage> {
  readonly #formatter: Formatter<OllamaWireMessage>

  constructor(formatter: Formatter) {
    super()
    this.#formatter = formatter as Formatter<OllamaWireMessage>
  }

  override get incremental(): boolean {
    return this.#formatter.incremental
  }

  override formatMessage(msg: Msg): readonly OllamaWireMessage[] | undefined {
    return this.#formatter.formatMessage?.(msg)?.map(asRead)
  }

  override async format(messages: readonly Msg[]): Promise<OllamaWireMessage[]> {
    return (await this.#formatter.format(messages)).map(asRead)
  }

  protected override formatAll(messages: readonly Msg[]): Promise<OllamaWireMessage[]> {
    return this.format(messages)
  }
}

function asRead(message: OllamaWireMessage): OllamaWireMessage {
  if (message.role !== "tool" || message.name === undefined || message.tool_name !== undefined) return message
  const { name, ...rest } = message
  return { ...rest, tool_name: name }
}
