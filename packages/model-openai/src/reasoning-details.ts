import type { ContentBlock, JsonObject, JsonValue } from "@agentscope-ts/message"

type Detail = Record<string, JsonValue>

/** The fields whose text comes in pieces. */
const growing = ["text", "summary", "data"] as const

/**
 * Collects the `reasoning_details` of OpenRouter, in which signatures and encrypted reasoning come, to what has to go back
 * unchanged. Neighbouring pieces of one detail (same `type` and `index`) are joined.
 */
export class ReasoningDetails {
  #details: Detail[] = []

  get empty(): boolean {
    return this.#details.length === 0
  }

  add(pieces: readonly object[], whole: boolean): void {
    for (const piece of pieces as readonly JsonObject[]) {
      const last = this.#details.at(-1)
      if (!whole && last && last["type"] === piece["type"] && last["index"] === piece["index"]) join(last, piece)
      else this.#details.push({ ...piece })
    }
  }

  /** What was collected, as the data of an opaque block; empty afterwards. */
  take(): JsonObject {
    const data = { reasoning_details: this.#details }
    this.#details = []
    return data
  }

  /** The text that the pieces show, for endpoints that tell it nowhere else. */
  static textOf(pieces: readonly object[]): string {
    return (pieces as readonly JsonObject[])
      .map((piece) => piece["text"] ?? piece["summary"])
      .filter((text) => typeof text === "string")
      .join("")
  }
}

/** The collected details of a message's thinking, as they go back to the provider they came from; undefined without any. */
export function reasoningDetailsOf(
  content: readonly ContentBlock[],
  provider: string,
): readonly JsonObject[] | undefined {
  let details: JsonObject[] | undefined
  for (const block of content) {
    if (block.type !== "thinking" || block.opaque?.provider !== provider) continue
    const data = block.opaque.data as { readonly reasoning_details?: readonly JsonObject[] } | null
    if (Array.isArray(data?.reasoning_details)) details = [...(details ?? []), ...data.reasoning_details]
  }
  return details
}

function join(detail: Detail, piece: JsonObject): void {
  for (const [key, value] of Object.entries(piece)) {
    const before = detail[key]
    const grows = (growing as readonly string[]).includes(key)
    if (grows && typeof before === "string" && typeof value === "string") detail[key] = before + value
    else if (value !== null) detail[key] = value
  }
}
