import type { MediaBlock, TextBlock, ToolResultBlock } from "@agentscope-ts/message"
import { inlineMedia, isInMemory } from "./media.ts"
import { saveMediaFile } from "./save-media.ts"

type SaveMedia = (source: { mediaType: string; data: string }) => Promise<string>

/** A tool's output for wires that take only text there. */
export interface ToolResultText {
  readonly text: string
  /** The media of the output with the place that the text names, in order. */
  readonly media: readonly { readonly block: MediaBlock; readonly url: string }[]
}

/** A text that stands for a medium of a tool's output and names its place. Not for what needs saving. */
export function mediaText({ type, source }: MediaBlock): string {
  return placeText(type, source.type === "url" ? source.url : "")
}

/** {@link mediaText} for any medium: data in memory is saved first. */
export async function savedMediaText(block: MediaBlock, saveMedia: SaveMedia = saveMediaFile): Promise<string> {
  return placeText(block.type, await placeOf(block, saveMedia))
}

const placeText = (type: string, url: string | undefined): string => `The returned ${type} can be found at: ${url}`

/** Whether an output holds media in memory, which have to be saved before a text can name them. */
export function needsSaving({ output }: ToolResultBlock): boolean {
  return output.some((block) => block.type !== "text" && isInMemory(block.source))
}

/** A tool's output as text, one line for each block; media are named by their URL or path. Not for what needs saving. */
export function toolResultText(result: ToolResultBlock): ToolResultText {
  return textWith(
    result,
    result.output.map((block) => (block.type !== "text" && block.source.type === "url" ? block.source.url : "")),
  )
}

/** {@link toolResultText} for any output: data in memory is saved first, by default to a file for temporary use. */
export async function savedToolResultText(
  result: ToolResultBlock,
  saveMedia: SaveMedia = saveMediaFile,
): Promise<ToolResultText> {
  return textWith(result, await Promise.all(result.output.map((block) => placeOf(block, saveMedia))))
}

function textWith({ output }: ToolResultBlock, urls: readonly string[]): ToolResultText {
  const lines = output.map((block, i) => (block.type === "text" ? block.text : placeText(block.type, urls[i])))
  const media = output.flatMap((block, i) => (block.type === "text" ? [] : [{ block, url: urls[i] as string }]))
  return { text: lines.length > 1 ? lines.map((line) => `- ${line}`).join("\n") : (lines[0] ?? ""), media }
}

async function placeOf(block: TextBlock | MediaBlock, saveMedia: SaveMedia): Promise<string> {
  if (block.type === "text") return ""
  const media = inlineMedia(block.source, block.type)
  if (media) return saveMedia(block.source.type === "base64" ? block.source : media)
  return block.source.type === "url" ? block.source.url : ""
}
