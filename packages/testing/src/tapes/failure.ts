import type { Secrets } from "./secrets.ts"
import type { TapeFailure } from "./tape-event.ts"

/** A failure as it stands on a tape. */
export function failureOf(error: unknown, secrets: Secrets): TapeFailure {
  if (!(error instanceof Error)) return { name: "Error", message: secrets.clean(String(error)) }
  const code = codeOf(error)
  const inner = innermost(error)
  return { name: error.name, message: secrets.clean(inner.message), ...(code !== undefined && { code }) }
}

/** The failure as `fetch` throws it. */
export function thrownAgain({ name, message, code }: TapeFailure): Error {
  const cause = Object.assign(new TypeError(message), code === undefined ? {} : { code })
  const error = new TypeError("fetch failed", { cause })
  error.name = name
  return error
}

function codeOf(error: unknown): string | undefined {
  let at: unknown = error
  for (let depth = 0; depth < 4 && at instanceof Error; depth++) {
    if ("code" in at && typeof at.code === "string") return at.code
    at = at.cause
  }
  return undefined
}

function innermost(error: Error): Error {
  let at = error
  for (let depth = 0; depth < 4; depth++) {
    const next: unknown = at instanceof AggregateError ? (at.errors as unknown[])[0] : at.cause
    if (!(next instanceof Error) || next.message === "") break
    at = next
  }
  return at
}
