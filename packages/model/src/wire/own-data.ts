import type { JsonObject, Opaque } from "@agentscope-ts/message"
import { objectIn } from "./read-value.ts"

/** The opaque data of a block where they are an object of this provider's. */
export function ownData(opaque: Opaque | undefined, provider: string): JsonObject | undefined {
  return opaque?.provider === provider ? objectIn<JsonObject>(opaque.data) : undefined
}
