const mask = "[redacted]"

// Keys and tokens by their known beginnings. `sk-` may stand inside a word ("task-…"), so a hit is looked at again.
const tokens =
  /(?:sk-[\w-]{16,}|(?:xai|pplx|glpat|xox[a-z])-[\w-]{16,}|(?:gsk|hf|r8|npm|gh[a-z])_[A-Za-z0-9]{20,}|github_pat_\w{20,}|AIza[\w-]{30,}|(?:AKIA|ASIA)[A-Z0-9]{16}|eyJ[\w-]{10,}\.[\w-]{10,}(?:\.[\w-]*)?)/g
const authorization = /\b((?:bearer|basic)\s+)([\w.~+/=-]{8,})/gi
// a name, then = or : (also inside JSON, also JSON inside JSON), then the value
const named =
  /((?:api|access|secret|private|account|subscription)[-_]?key|(?:access|auth|refresh|session|bearer|api)[-_]?token|(?:client|app|api)[-_]?secret|passw(?:or)?d)(\\*["']?\s*[:=]\s*)(?:(\\*["'])([^"'\\]{4,})|([^\s"'\\&,;()[\]{}]{6,}))/gi
const userInfo = /(:\/\/[^\s/:@"'\\]*:)[^\s/@"'\\]+(@)/g
// up to its end, or, when it was cut off, to the end of the text or of the JSON string
const privateKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|(?=\\*["'])|$)/g

function maskToken(hit: string, at: number, text: string): string {
  const before = at === 0 ? "" : text.charAt(at - 1)
  return /[A-Za-z0-9]/.test(before) || !/\d/.test(hit) ? hit : mask
}

// "bearer of news" and "basic arithmetic" are words, and "Bearer YOUR_API_KEY" a place to fill in
function maskAuthorization(hit: string, scheme: string, value: string): string {
  return /^(?:[A-Za-z]+|[A-Z]+(?:_[A-Z]+)+)[.-]?$/.test(value) ? hit : scheme + mask
}

function maskNamed(
  _hit: string,
  name: string,
  sign: string,
  quote: string | undefined,
  _quoted: unknown,
  bare?: string,
) {
  // a bare number in JSON must stay one
  const shown = bare !== undefined && sign.includes(":") && /^-?[\d.eE+-]+$/.test(bare) ? "0" : mask
  return name + sign + (quote ?? "") + shown
}

let environment: RegExp | undefined

/** The values of environment variables that are named like secrets, wherever they turn up. */
function environmentValues(): RegExp {
  const variables = typeof process === "undefined" ? {} : process.env
  const values = Object.entries(variables)
    .filter(
      ([name, value]) => /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS)$/i.test(name) && (value ?? "").length >= 8,
    )
    .map(([, value]) => (value ?? "").replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
  return values.length > 0 ? new RegExp(values.join("|"), "g") : /(?!)/g
}

/** Reads the environment again at the next use. */
export function forgetEnvironment(): void {
  environment = undefined
}

let known = ""

/** Tells {@link redact} that this text was put together from redacted parts. */
export function markRedacted(text: string): string {
  known = text
  return text
}

/**
 * The text with everything that looks like a secret replaced by `[redacted]`: keys and tokens of known shapes,
 * `Authorization` values, passwords and keys by their name, credentials in URLs, private keys, and the values of
 * environment variables named like secrets. JSON stays JSON.
 */
export function redact(text: string): string {
  if (text === known || text.length < 8) return text
  environment ??= environmentValues()
  const result = text
    .replace(environment, mask)
    .replace(tokens, maskToken)
    .replace(authorization, maskAuthorization)
    .replace(named, maskNamed)
    .replace(userInfo, `$1${mask}$2`)
  return result.includes("-----BEGIN") ? result.replace(privateKey, mask) : result
}
