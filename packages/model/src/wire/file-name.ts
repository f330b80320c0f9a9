import type { MediaBlock } from "@agentscope-ts/message"
import { isInMemory } from "./media.ts"

/** What a file is called: by its own name, else by the last part of its path or URL, else `usual`. */
export function fileNameOf({ name, source }: MediaBlock, usual: string): string {
  const path = source.type === "url" && !isInMemory(source) ? source.url.replace(/[?#].*$/s, "") : ""
  return name ?? (path.split(/[\\/]/).at(-1) || usual)
}
