import type { Msg, ToolResultBlock, ToolUseBlock } from "@agentscope-ts/message"
import { MediaFormatter } from "./media-formatter.ts"
import type { PreparedMedia } from "./prepared-media.ts"

/** A tool's result as most wires have it. */
export interface ToolMessage {
  readonly role: "tool"
  readonly tool_call_id: string
  readonly content: string
  readonly name: string
}

/** What a message says beside the results of tools. */
export interface MessageSaid<Part> {
  readonly parts: readonly Part[]
  readonly calls: readonly ToolUseBlock[]
  /** All that was thought, line by line. */
  readonly thinking: string
}

/**
 * A formatter for wires on which each result of a tool is a {@link ToolMessage}, which `Wire` must allow. Those of one
 * message come first, then the media that they show (`promoteToolResultImages`), then what the message says by itself.
 */
export abstract class ToolRoleFormatter<Wire extends object, Part> extends MediaFormatter<Wire, Part> {
  protected override get promotes(): boolean {
    return this.options.promoteToolResultImages === true
  }

  protected override wireOf(msg: Msg, media: PreparedMedia<Part>): readonly Wire[] {
    const results: Wire[] = []
    const promoted: Wire[] = []
    const parts: Part[] = []
    const thoughts: string[] = []
    const calls: ToolUseBlock[] = []
    for (const block of msg.content) {
      if (block.type === "text") parts.push(this.text(block.text))
      else if (block.type === "tool_use") calls.push(block)
      else if (block.type === "thinking") {
        if (block.thinking !== "") thoughts.push(block.thinking)
      } else if (block.type === "tool_result") {
        const [content, shown] = this.result(block, media)
        const message: ToolMessage = { role: "tool", tool_call_id: block.id, content, name: block.name }
        results.push(message as Wire)
        if (shown.length > 0) promoted.push(this.message("user", shown))
      } else {
        const part = media.shown(block, msg)
        if (part !== undefined) parts.push(part)
      }
    }
    const own = this.said(msg, { parts, calls, thinking: thoughts.join("\n") })
    return [...results, ...promoted, ...(own === undefined ? [] : [own])]
  }

  /** A result as a text, and what of it is shown besides. */
  protected result(
    block: ToolResultBlock,
    media: PreparedMedia<Part>,
  ): readonly [text: string, shown: readonly Part[]] {
    return this.named(block, media, (text) => this.text(text))
  }

  /** The part of a text. */
  protected abstract text(text: string): Part

  /** A message of these parts. */
  protected abstract message(role: string, parts: readonly Part[]): Wire

  /** What a message says by itself; undefined where that is nothing. */
  protected abstract said(msg: Msg, said: MessageSaid<Part>): Wire | undefined
}
