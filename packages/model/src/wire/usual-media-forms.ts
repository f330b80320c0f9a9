import type { BlockType, MediaBlock } from "@agentscope-ts/message"
import { inlineMedia, isInMemory, type LoadedMedia, loadMedia } from "./media.ts"
import type { MediaForms } from "./prepared-media.ts"

/** What {@link usualMediaForms} needs to know of a wire. */
export interface UsualMedia<Part> {
  /** The kinds of media that the wire has a form for; others are left out. */
  readonly kinds: readonly BlockType[]
  /** Those of them that are shown of tool results. Default none. */
  readonly promoted?: readonly BlockType[] | undefined
  /** The part of a medium that the provider fetches by itself; undefined for all that has to be sent. Default: nothing is. */
  readonly remote?: ((block: MediaBlock) => Part | undefined) | undefined
  /** The part of a medium that is sent; throws for a type that the wire does not take. */
  readonly sent: (block: MediaBlock, media: LoadedMedia) => Part | undefined
}

/** Media forms of a wire that takes some kinds of media, by address or with the request. */
export function usualMediaForms<Part>({ kinds, promoted = [], remote, sent }: UsualMedia<Part>): MediaForms<Part> {
  return {
    needsLoading: (block) => kinds.includes(block.type) && !isInMemory(block.source) && remote?.(block) === undefined,
    part: (block) => {
      if (!kinds.includes(block.type)) return undefined
      const media = inlineMedia(block.source, block.type)
      return media ? sent(block, media) : remote?.(block)
    },
    load: async (block) => sent(block, await loadMedia(block.source, block.type)),
    ofResult: ({ type }) => promoted.includes(type),
  }
}
