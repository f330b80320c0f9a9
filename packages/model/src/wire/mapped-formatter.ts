import type { Msg } from "@agentscope-ts/message"
import { type FormatAccess, Formatter } from "../formatter.ts"

/** What another formatter makes, each wire message changed: where requests differ from what users and tests see. */
export class MappedFormatter<Wire> extends Formatter<Wire> {
  override readonly provider: string
  readonly #formatter: Formatter<Wire>
  readonly #map: (wire: Wire) => Wire

  constructor(formatter: Formatter, map: (wire: Wire) => Wire) {
    super()
    this.provider = formatter.provider
    this.#formatter = formatter as Formatter<Wire>
    this.#map = map
  }

  override get incremental(): boolean {
    return this.#formatter.incremental
  }

  override turns(messages: readonly Msg[]): readonly Msg[] {
    return this.#formatter.turns?.(messages) ?? messages
  }

  override mayBegin(msg: Msg): boolean {
    return this.#formatter.mayBegin(msg)
  }

  override formatMessage(msg: Msg): readonly Wire[] | undefined {
    return this.#formatter.formatMessage?.(msg)?.map(this.#map)
  }

  override async format(messages: readonly Msg[], access?: FormatAccess): Promise<Wire[]> {
    return (await this.#formatter.format(messages, access)).map(this.#map)
  }

  protected override formatAll(messages: readonly Msg[], access?: FormatAccess): Promise<Wire[]> {
    return this.format(messages, access)
  }
}
