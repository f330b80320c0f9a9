import type { BlockType, MediaBlock } from "@agentscope-ts/message"
import type { FormatterOptions } from "../formatter.ts"
import { inlineMedia, isInMemory, type LoadedMedia, loadMedia } from "./media.ts"
import type { MediaForms } from "./prepared-media.ts"
import { mediaText, savedMediaText } from "./tool-result-text.ts"

/** What {@link usualMediaForms} needs to know of a wire. */
export interface UsualMedia<Part> {
  /** The kinds of media that the wire has a form for; others are left out. */
  readonly kinds: readonly BlockType[]
  /** Those of them that are shown of tool results. Default none. */
  readonly promoted?: readonly BlockType[] | undefined
  /** Whether tool results show all their media where they stand. Default false. */
  readonly inResults?: boolean | undefined
  /** The text that names the place of a medium of another kind in tool results; what is in memory is saved for it. */
  readonly named?: ((text: string) => Part) | undefined
  readonly saveMedia?: FormatterOptions["saveMedia"]
  /** The part of a medium that the provider has or fetches; undefined for all that has to be sent. Default: it has nothing. */
  readonly remote?: ((block: MediaBlock) => Part | undefined) | undefined
  /** The part of a medium that is sent; throws for a type that the wire does not take. */
  readonly sent: (block: MediaBlock, media: LoadedMedia) => Part | undefined
}

/** Media forms of a wire that takes some kinds of media, by address or with the request. */
export function usualMediaForms<Part>(wire: UsualMedia<Part>): MediaForms<Part> {
  const { kinds, promoted = [], inResults = false, named, saveMedia, remote, sent } = wire
  const has = ({ type }: MediaBlock): boolean => kinds.includes(type)
  const isTaken = (block: MediaBlock): boolean => has(block) || remote?.(block) !== undefined
  return {
    needsLoading: (block) => {
      if (!has(block)) return named !== undefined && isInMemory(block.source) && !isTaken(block)
      return !isInMemory(block.source) && remote?.(block) === undefined
    },
    part: (block) => {
      const part = remote?.(block)
      if (part !== undefined) return part
      if (!has(block)) return named?.(mediaText(block))
      const media = inlineMedia(block.source, block.type)
      return media && sent(block, media)
    },
    load: async (block, access) => {
      if (!has(block)) return named?.(await savedMediaText(block, saveMedia))
      return sent(block, await loadMedia(block.source, block.type, access))
    },
    ofMessage: isTaken,
    ofResult: ({ type }) => inResults || promoted.includes(type),
    inResults,
  }
}
