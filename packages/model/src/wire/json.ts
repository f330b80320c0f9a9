/**
 * JSON that every parser takes. `JSON.stringify` writes half of a surrogate pair (text that was cut through a character)
 * as an escape that strict parsers refuse, and the request with it: it becomes U+FFFD.
 */
export function wireJson(value: unknown): string {
  const json = JSON.stringify(value)
  if (!json.includes("\\ud")) return json
  // escapes are matched one by one, so that an escaped backslash before "ud800" is none
  return json.replace(/\\(?:ud[89a-f][0-9a-f]{2}|.)/g, (escape) => (escape.length === 6 ? "\\ufffd" : escape))
}
