/** What a server says about the token it wants (RFC 6750, RFC 9728). */
export interface Challenge {
  readonly resourceMetadata?: string
  readonly scope?: string
  readonly error?: string
}

const token = /^[!#$%&'*+.^_`|~\w-]+/
const parameter = /^([!#$%&'*+.^_`|~\w-]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/

/** The parameters of the `Bearer` challenge in a `WWW-Authenticate` header, which may hold several; empty without one. */
export function readChallenge(header: string | null): Challenge {
  const found = new Map<string, string>()
  let rest = (header ?? "").slice(0, 16_384)
  let bearer = false
  for (;;) {
    rest = rest.replace(/^[\s,]+/, "")
    const pair = parameter.exec(rest)
    if (pair) {
      const name = (pair[1] as string).toLowerCase()
      const value = pair[2]?.replace(/\\(.)/g, "$1") ?? pair[3] ?? ""
      if (bearer && !found.has(name)) found.set(name, value)
      rest = rest.slice(pair[0].length)
      continue
    }
    const scheme = token.exec(rest)
    if (!scheme) break
    if (bearer) break
    bearer = scheme[0].toLowerCase() === "bearer"
    // what follows a scheme may be one opaque value in the place of parameters
    rest = rest.slice(scheme[0].length).replace(/^[ \t]+[\w\-.~+/]+=*(?=[ \t]*(,|$))/, "")
  }
  const resourceMetadata = found.get("resource_metadata")
  const scope = found.get("scope")
  const error = found.get("error")
  return { ...(resourceMetadata && { resourceMetadata }), ...(scope && { scope }), ...(error && { error }) }
}
