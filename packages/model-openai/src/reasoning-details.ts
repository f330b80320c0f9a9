import type { ContentBlock, JsonObject, JsonValue } from "@agentscope-ts/message"
import { objectsIn, ownData, textIn } from "@agentscope-ts/model/wire"

/** One of the `reasoning_details` of OpenRouter, in which signatures and encrypted reasoning come. */
export type ReasoningDetail = Record<string, JsonValue>

/** The fields whose text comes in pieces. */
const growing = ["text", "summary", "data"]

/**
 * Adds pieces of details to those so far, which have to go back unchanged. Neighbouring pieces of one detail (same `type`
 * and `index`) are joined; `whole` ones are not pieces.
 */
export function addDetails(details: ReasoningDetail[], pieces: readonly ReasoningDetail[], whole: boolean): void {
  for (const piece of pieces) {
    const last = details.at(-1)
    if (!whole && last && last["type"] === piece["type"] && last["index"] === piece["index"]) join(last, piece)
    else details.push({ ...piece })
  }
}

/** The text that pieces show, for endpoints that tell it nowhere else. */
export function textOfDetails(pieces: readonly ReasoningDetail[]): string {
  return pieces.map((piece) => textIn(piece["text"] ?? piece["summary"])).join("")
}

/** The details of a message's thinking, as they go back to the provider they came from; undefined without any. */
export function reasoningDetailsOf(
  content: readonly ContentBlock[],
  provider: string,
): readonly JsonObject[] | undefined {
  const details = content.flatMap((block) =>
    block.type === "thinking" ? objectsIn<JsonObject>(ownData(block.opaque, provider)?.["reasoning_details"]) : [],
  )
  return details.length > 0 ? details : undefined
}

function join(detail: ReasoningDetail, piece: ReasoningDetail): void {
  for (const [key, value] of Object.entries(piece)) {
    const before = detail[key]
    const grows = growing.includes(key) && typeof before === "string" && typeof value === "string"
    if (grows) detail[key] = before + value
    else if (value !== null) detail[key] = value
  }
}
