import type { JsonValue } from "@agentscope-ts/message"
import { redact } from "@agentscope-ts/tracing"

/** What stands on a tape in the place of a secret. */
export const mask = "[redacted]"

const secretHeader = /(?:^|[-_])(?:key|token|secret|authorization|cookie|password|signature)$/i
const secretParameter = /^(?:.*[-_])?(?:key|token|secret|sig|signature|password|credential|code)$|^(?:api)?key$/i
const secretVariable = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS)$/i

/**
 * The secrets of a run: what stood in its authorization headers and key parameters, and the environment variables named like
 * secrets. They are taken out wherever they turn up.
 */
export class Secrets {
  readonly #known = new Set<string>()

  constructor() {
    for (const [name, value] of Object.entries(globalThis.process?.env ?? {})) {
      if (secretVariable.test(name)) this.#learn(value ?? "")
    }
  }

  /** Hears which secrets a request carries. */
  learnHeaders(headers: Headers): void {
    headers.forEach((value, name) => {
      if (secretHeader.test(name)) this.#learn(value.replace(/^\S+\s+(?=\S+$)/, ""))
    })
  }

  // short ones are no secrets, and would tear words apart
  #learn(value: string): void {
    if (value.length >= 8) this.#known.add(value)
  }

  /** The URL without credentials and the values of key parameters. */
  url(text: string): string {
    const url = new URL(text)
    url.username = ""
    url.password = ""
    const names = [...url.searchParams.keys()]
    for (const name of names) {
      if (!secretParameter.test(name)) continue
      for (const value of url.searchParams.getAll(name)) this.#learn(value)
      url.searchParams.set(name, mask)
    }
    return this.clean(url.href.replaceAll(encodeURIComponent(mask), mask))
  }

  /** The headers of an answer that a replay needs: none that hold secrets or tell how the body was packed. */
  headers(headers: Headers): Record<string, string> {
    const kept: Record<string, string> = {}
    headers.forEach((value, name) => {
      if (/^(?:content-encoding|content-length|transfer-encoding|set-cookie2?|connection|keep-alive)$/i.test(name))
        return
      kept[name] = secretHeader.test(name) ? mask : this.clean(value)
    })
    return kept
  }

  /** The text without the known secrets, and otherwise untouched. */
  scrub(text: string): string {
    let clean = text
    for (const secret of this.#known) if (clean.includes(secret)) clean = clean.replaceAll(secret, mask)
    return clean
  }

  /** The text without the known secrets and whatever looks like one. */
  clean(text: string): string {
    return redact(this.scrub(text))
  }

  /** The same for every text in a value. */
  cleanJson<T>(value: T): T {
    return cleaned(value, (text) => this.clean(text)) as T
  }
}

function cleaned(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === "string") return clean(value)
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map((item) => cleaned(item, clean))
  return Object.fromEntries(
    Object.entries(value as Record<string, JsonValue>).map(([key, item]) => [
      key,
      secretHeader.test(key) && typeof item === "string" && item.length >= 8 ? mask : cleaned(item, clean),
    ]),
  )
}
