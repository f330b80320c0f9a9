import { modelError } from "../errors/model-error.ts"
import type { LoadedMedia } from "./media.ts"

/** Throws `invalid_request` for media of more than so many MB. `where` names the wire, `how` says what to do. */
export function requireMediaSize(
  { data }: LoadedMedia,
  maxMegabytes: number,
  { kind, where, how = "make it smaller first" }: { kind: string; where: string; how?: string | undefined },
): void {
  const megabytes = Math.floor((data.length * 3) / 4) / 1024 / 1024
  if (megabytes <= maxMegabytes) return
  const message = `${where} takes no ${kind} of more than ${maxMegabytes} MB, and one has ${megabytes.toFixed(1)} MB: ${how}.`
  throw modelError({ code: "invalid_request", message })
}
