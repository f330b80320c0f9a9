import type { MediaBlock, Msg, ToolResultBlock } from "@agentscope-ts/message"
import type { FormatterOptions } from "@agentscope-ts/model"
import { needsSaving, savedToolResultText, toolResultText, type ToolResultText } from "@agentscope-ts/model/wire"
import { loadedMediaPart, mediaPart, needsLoading } from "./media-part.ts"
import type { OpenAIContentPart } from "./wire-message.ts"

/** What of a message had to be read or saved before it could be formatted. */
export class Loaded {
  readonly #parts = new Map<MediaBlock, OpenAIContentPart>()
  readonly #texts = new Map<ToolResultBlock, ToolResultText>()

  /** For messages where nothing has to be. */
  static readonly nothing: Loaded = new Loaded()

  /** Whether a message needs it at all. */
  static isNeeded(msg: Msg, { promoteToolResultImages }: FormatterOptions): boolean {
    return msg.content.some((block) => {
      if (block.type === "text" || block.type === "thinking" || block.type === "tool_use") return false
      if (block.type !== "tool_result") return msg.role !== "assistant" && needsLoading(block)
      return needsSaving(block) || (promoteToolResultImages === true && imagesOf(block).some(needsLoading))
    })
  }

  /** Reads and saves what has to be. */
  static async of(msg: Msg, { promoteToolResultImages, saveMedia }: FormatterOptions): Promise<Loaded> {
    const loaded = new Loaded()
    for (const block of msg.content) {
      if (block.type === "text" || block.type === "thinking" || block.type === "tool_use") continue
      if (block.type === "tool_result") {
        loaded.#texts.set(block, await savedToolResultText(block, saveMedia))
        if (promoteToolResultImages) for (const image of imagesOf(block)) await loaded.#load(image)
      } else if (msg.role !== "assistant") await loaded.#load(block)
    }
    return loaded
  }

  async #load(block: MediaBlock): Promise<void> {
    if (needsLoading(block)) this.#parts.set(block, await loadedMediaPart(block))
  }

  part(block: MediaBlock): OpenAIContentPart | undefined {
    return this.#parts.get(block) ?? mediaPart(block)
  }

  text(result: ToolResultBlock): ToolResultText {
    return this.#texts.get(result) ?? toolResultText(result)
  }
}

function imagesOf({ output }: ToolResultBlock): readonly MediaBlock[] {
  return output.filter((block) => block.type === "image")
}
