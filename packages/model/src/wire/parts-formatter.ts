import type { ContentBlock, Msg, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock } from "@agentscope-ts/message"
import type { FormatAccess } from "../formatter.ts"
import { MediaFormatter } from "./media-formatter.ts"
import type { PreparedMedia } from "./prepared-media.ts"

/** Whose words a message of a wire is. */
export type PartsRole = "system" | "user" | "assistant"

/**
 * A formatter for wires whose messages are lists of parts: the results of tools stand before all else in a message of the
 * user's, calls at its end. Parts that are undefined are left out, and so are messages without any.
 */
export abstract class PartsFormatter<Wire, Part> extends MediaFormatter<Wire, Part> {
  /** A system message at the head stays one; later ones are the user's. */
  protected override async formatAll(messages: readonly Msg[], access?: FormatAccess): Promise<Wire[]> {
    const [first, ...rest] = messages
    if (first?.role !== "system") return super.formatAll(messages, access)
    const parts = first.content.map((block) => (block.type === "text" ? this.text(block.text, block) : undefined))
    return [...this.#messages("system", parts), ...(await super.formatAll(rest, access))]
  }

  protected override wireOf(msg: Msg, media: PreparedMedia<Part>): readonly Wire[] {
    const results: (Part | undefined)[] = []
    const said: (Part | undefined)[] = []
    const calls: (Part | undefined)[] = []
    for (const block of msg.content) {
      if (block.type === "tool_result") results.push(this.result(block, media))
      else if (block.type === "tool_use") calls.push(this.call(block))
      else said.push(this.#part(block, msg, media))
    }
    const role = msg.role === "assistant" ? "assistant" : "user"
    return [...this.#messages("user", results), ...this.#messages(role, [...said, ...calls])]
  }

  /** A message of these parts. */
  abstract message(role: PartsRole, parts: readonly Part[]): Wire

  /** The part of a text. */
  abstract text(text: string, block?: TextBlock): Part | undefined

  protected abstract thinking(block: ThinkingBlock, role: Msg["role"]): Part | undefined
  protected abstract call(block: ToolUseBlock): Part | undefined
  protected abstract result(block: ToolResultBlock, media: PreparedMedia<Part>): Part | undefined

  #part(
    block: Exclude<ContentBlock, ToolUseBlock | ToolResultBlock>,
    msg: Msg,
    media: PreparedMedia<Part>,
  ): Part | undefined {
    if (block.type === "text") return this.text(block.text, block)
    return block.type === "thinking" ? this.thinking(block, msg.role) : media.shown(block, msg)
  }

  #messages(role: PartsRole, parts: readonly (Part | undefined)[]): readonly Wire[] {
    const filled = parts.filter((part) => part !== undefined)
    return filled.length > 0 ? [this.message(role, filled)] : []
  }
}
