import type { ToolResultBlock } from "@agentscope-ts/message"
import type { ToolResultText } from "./tool-result-text.ts"

type Shown = ToolResultText["media"][number]

/** How a wire shows what {@link promotedParts} puts together. */
export interface PromotedForms<Part> {
  readonly text: (text: string) => Part
  /** The part of a medium; undefined leaves it out. */
  readonly part: (shown: Shown) => Part | undefined
  /** What the media are called. Default `image`. */
  readonly what?: "image" | "media" | undefined
}

/** The media of a tool's result as a user message shows them once more; empty where there are none. */
export function promotedParts<Part>(
  { name }: ToolResultBlock,
  media: readonly Shown[],
  { text, part, what = "image" }: PromotedForms<Part>,
): readonly Part[] {
  const shown = media.flatMap((one) => {
    const form = part(one)
    return form === undefined ? [] : [text(`\n- The ${one.block.type} from '${one.url}': `), form]
  })
  if (shown.length === 0) return []
  const start = `<system-info>The following are the ${what} contents from the tool result of '${name}':`
  return [text(start), ...shown, text("</system-info>")]
}
