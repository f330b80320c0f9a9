import type { MediaSource } from "@agentscope-ts/message"

/** The source of a medium that an answer points to: a `data:` URL becomes its base64. Undefined for what is no URL. */
export function mediaSourceOf(url: string): MediaSource | undefined {
  const inline = /^data:([\w.+/-]*)(?:;[\w=-]+)*?;base64,/i.exec(url)
  if (inline) {
    const mediaType = inline[1]?.toLowerCase() || "application/octet-stream"
    return { type: "base64", mediaType, data: url.slice(inline[0].length) }
  }
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? { type: "url", url } : undefined
}
