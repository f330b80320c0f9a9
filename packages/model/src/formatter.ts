import { AgentScopeError, type Msg } from "@agentscope-ts/message"
import { agentScope, startSpan } from "@agentscope-ts/tracing"
import { modelError } from "./errors/model-error.ts"
import type { TokenCounter } from "./token-counter.ts"

/** Options that every formatter takes. */
export interface FormatterOptions {
  /** Images in tool results are shown once more in a user message, for models that see them only there. Default false. */
  promoteToolResultImages?: boolean | undefined
  /** What a multi-agent formatter says before the first `<history>`. */
  conversationHistoryPrompt?: string | undefined
  /** With `tokenCounter`: the oldest messages are left out until the rest fits and begins with a user's, where one is left. */
  maxTokens?: number | undefined
  tokenCounter?: TokenCounter | undefined
  /** Keeps media that a text can only point to, and gives the path or URL to name. */
  saveMedia?: ((source: { mediaType: string; data: string }) => Promise<string>) | undefined
}

/** How a formatter gets at what is not in the messages themselves. */
export interface FormatAccess {
  /** Ends downloads that are under way. */
  readonly signal?: AbortSignal | undefined
  /** Fetches media from the web, in place of the runtime's. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** How a model's formatter is chosen: one of the provider's two, or an own one. */
export type FormatterOption = "chat" | "multi-agent" | Formatter

/** Turns messages into a provider's wire form. */
export abstract class Formatter<Wire = unknown> {
  /** Names the `format` span. */
  readonly provider: string = "custom"
  protected readonly options: FormatterOptions

  constructor(options: FormatterOptions = {}) {
    this.options = options
    if ((options.maxTokens === undefined) !== (options.tokenCounter === undefined)) {
      const message = `${this.constructor.name}: maxTokens and tokenCounter belong together: give both or neither.`
      throw modelError({ code: "invalid_request", message })
    }
  }

  /**
   * The wire form of one message, where it depends on that message alone and needs no I/O; undefined where it does not.
   * With it a history that grows is not formatted again at each call.
   */
  formatMessage?(msg: Msg): readonly Wire[] | undefined

  /** The messages as the wire takes them one after the other, where some have to become one (`joinedTurns`). */
  turns?(messages: readonly Msg[]): readonly Msg[]

  /** Whether messages can be formatted one by one, as `formatMessage` does: not when old ones may be left out. */
  get incremental(): boolean {
    return this.formatMessage !== undefined && this.options.maxTokens === undefined
  }

  /**
   * The wire form of a whole history.
   * @throws AgentScopeError `context_overflow` when not even the last turn fits `maxTokens`.
   */
  async format(messages: readonly Msg[], access?: FormatAccess): Promise<Wire[]> {
    const span = startSpan("format", this.provider)
    try {
      const fitting = await this.#fitting(messages)
      const wire = await this.formatAll(this.turns?.(fitting) ?? fitting, access)
      span?.add(agentScope.formatTarget, this.provider)
      span?.add(agentScope.formatCount, wire.length)
      return wire
    } catch (error) {
      span?.fail(error)
      throw error
    } finally {
      span?.end()
    }
  }

  /** What a provider writes: the wire form of all these messages. Media of the web are to be had by `access`. */
  protected abstract formatAll(messages: readonly Msg[], access?: FormatAccess): Promise<Wire[]> | Wire[]

  async #fitting(messages: readonly Msg[]): Promise<readonly Msg[]> {
    const { maxTokens, tokenCounter } = this.options
    if (maxTokens === undefined || tokenCounter === undefined) return messages
    let kept = messages
    while ((await tokenCounter.count(kept)) > maxTokens) {
      const next = withoutOldest(kept)
      if (next === undefined) {
        const message = `${this.constructor.name}: the last turn alone is over maxTokens = ${maxTokens}. Raise it, or shorten the message.`
        throw modelError({ code: "context_overflow", message })
      }
      kept = next
    }
    return kept === messages ? kept : this.#opened(kept)
  }

  /** What is kept begins with a message that may come first, where there is one: providers refuse an answer or a call there. */
  #opened(messages: readonly Msg[]): readonly Msg[] {
    const first = afterSystem(messages)
    const open = new Set<string>()
    for (let i = first; i < messages.length; i++) {
      const msg = messages[i] as Msg
      if (open.size === 0 && this.mayBegin(msg)) {
        return i === first ? messages : [...messages.slice(0, first), ...messages.slice(i)]
      }
      follow(msg, open)
    }
    return messages
  }

  /** Whether a history may begin with this message: by default, whether it is a user's. */
  mayBegin({ role }: Msg): boolean {
    return role === "user"
  }
}

const afterSystem = (messages: readonly Msg[]): number => (messages[0]?.role === "system" ? 1 : 0)

/** Keeps the ids of the calls that have no result yet. */
function follow({ content }: Msg, open: Set<string>): void {
  for (const block of content) {
    if (block.type === "tool_use") open.add(block.id)
    else if (block.type === "tool_result") open.delete(block.id)
  }
}

/**
 * The history without its oldest turn: from after a leading system message up to the first point where all tool calls are
 * answered. Undefined when nothing would be left.
 */
function withoutOldest(messages: readonly Msg[]): readonly Msg[] | undefined {
  const first = afterSystem(messages)
  const open = new Set<string>()
  for (let i = first; i < messages.length; i++) {
    follow(messages[i] as Msg, open)
    if (open.size > 0) continue
    return i + 1 < messages.length ? [...messages.slice(0, first), ...messages.slice(i + 1)] : undefined
  }
  if (open.size === 0) return undefined
  throw new AgentScopeError({
    code: "invalid_request",
    message: `The history cannot be shortened: the tool calls ${[...open].join(", ")} have no result. Close them first (guardHistory).`,
  })
}
