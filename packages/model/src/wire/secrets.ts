import type { Target } from "./target.ts"

const names = /^(?:(?:proxy-)?authorization|cookie|.*(?:key|token|secret).*)$/

/** The text without the credentials that the request carried: providers like to repeat them in error messages. */
export function withoutSecrets(text: string, target: Pick<Target, "headers">): string {
  let out = text
  for (let i = 0; i < target.headers.length; i += 2) {
    if (!names.test(target.headers[i] as string)) continue
    for (const secret of (target.headers[i + 1] as string).split(/[\s,;]+/)) {
      // shorter ones are words like "Bearer", or no secrets worth the name
      if (secret.length > 6) out = out.replaceAll(secret, "[redacted]")
    }
  }
  return out
}
