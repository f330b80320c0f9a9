import { modelError } from "../errors/model-error.ts"

/** Where a model's requests go and what they carry: all that stays the same over its life, put together once. */
export interface Target {
  readonly url: string
  readonly secure: boolean
  readonly hostname: string
  readonly port: string
  /** Path and query. */
  readonly path: string
  /** Flat: name, value, name, value; names in lower case, `host` and `content-type` included. */
  readonly headers: readonly string[]
  /** The URL without its query and any credentials, for messages. */
  readonly label: string
}

/** A target for POST requests of JSON. A URL that cannot be used is the error `invalid_request`. */
export function targetOf(url: string, headers: Readonly<Record<string, string | undefined>> = {}): Target {
  const parsed = parse(url)
  const flat = ["host", parsed.host, "content-type", "application/json"]
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue
    const key = name.toLowerCase()
    const at = flat.findIndex((item, i) => i % 2 === 0 && item === key)
    if (at >= 0) flat[at + 1] = value
    else flat.push(key, value)
  }
  checkHeaders(flat, parsed)
  return {
    url: parsed.href,
    secure: parsed.protocol === "https:",
    hostname: parsed.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: parsed.port,
    path: parsed.pathname + parsed.search,
    headers: flat,
    label: labelOf(parsed),
  }
}

/** `base` with `path` at the end of its path; a query of `base` stays behind it. */
export function joinUrl(base: string, path: string): string {
  const url = parse(base)
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/${path.replace(/^\/+/, "")}`
  return url.href
}

function parse(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed && (parsed.protocol === "http:" || parsed.protocol === "https:")) return parsed
  const message = `${JSON.stringify(url)} is no URL that requests can go to: give a baseURL that starts with https:// or http://.`
  throw modelError({ code: "invalid_request", message })
}

function labelOf(url: URL): string {
  return url.origin + url.pathname
}

/** A line end or a character beyond Latin-1 in a header is a typing error, mostly in a key: found before it is sent. */
function checkHeaders(flat: readonly string[], url: URL): void {
  for (let i = 0; i < flat.length; i += 2) {
    const name = flat[i] as string
    if (/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) && !/[^\t\x20-\x7e\x80-\xff]/.test(flat[i + 1] as string)) continue
    const message = `The header ${JSON.stringify(name)} for ${labelOf(url)} has a character that a header cannot have (a line end, a quotation mark of a text program): check the option or variable that it comes from.`
    throw modelError({ code: "invalid_request", message })
  }
}
