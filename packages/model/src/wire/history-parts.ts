import type { BlockType, MediaBlock, Msg } from "@agentscope-ts/message"
import { historyText } from "./history-groups.ts"

/** How a run of talk is cut into parts. */
export interface HistoryPartsOptions {
  /** What the run is introduced by; empty for all but the first. */
  readonly prompt: string
  /** The media that are shown; others are left out. */
  readonly media: readonly BlockType[]
  /** Whether they stand after the whole text, kind by kind as in `media`. Default: where they stood. */
  readonly mediaLast?: boolean | undefined
  /** What opens the history. Default `<history>` and a line end. */
  readonly opening?: string | undefined
}

/**
 * A run of talk for wires that show media where they stand: the texts as `historyText` has them, cut at each medium, with
 * the tags around all of it. Empty when nothing was said or shown.
 */
export function historyParts(messages: readonly Msg[], options: HistoryPartsOptions): readonly (string | MediaBlock)[] {
  const { prompt, media, opening = "<history>\n" } = options
  if (options.mediaLast) return partsMediaLast(messages, options)
  const parts: (string | MediaBlock)[] = []
  let lines: string[] = []
  const closeText = (): void => {
    if (lines.length > 0) parts.push(lines.join("\n"))
    lines = []
  }
  for (const { name, content } of messages) {
    for (const block of content) {
      if (block.type === "text") lines.push(`${name}: ${block.text}`)
      else if (media.includes(block.type)) {
        closeText()
        parts.push(block as MediaBlock)
      }
    }
  }
  closeText()
  if (parts.length === 0) return parts
  if (typeof parts[0] === "string") parts[0] = `${prompt}${opening}${parts[0]}`
  else parts.unshift(`${prompt}${opening}`)
  const last = parts.at(-1)
  if (typeof last === "string") parts[parts.length - 1] = `${last}\n</history>`
  else parts.push("</history>")
  return parts
}

function partsMediaLast(
  messages: readonly Msg[],
  { prompt, media }: HistoryPartsOptions,
): readonly (string | MediaBlock)[] {
  const text = historyText(messages, prompt)
  const blocks = messages.flatMap(({ content }) => content)
  const shown = media.flatMap((kind) => blocks.filter((block): block is MediaBlock => block.type === kind))
  return text === "" ? shown : [text, ...shown]
}
