/**
 * A base URL without an ending that the provider's own paths begin with: many copy the address with its version.
 * `ending` matches in the URL's path, without slashes around it, such as `v1` or `v1beta`; a query stays.
 */
export function rootUrl(baseURL: string, ending: RegExp): string {
  const [, base = "", rest = ""] = /^([^?#]*)(.*)$/s.exec(baseURL) ?? []
  const path = base.replace(/\/+$/, "")
  const found = new RegExp(`^(.*?[^:/])/+(?:${ending.source})$`, `s${ending.flags.replace("s", "")}`).exec(path)
  return found ? `${found[1]}${rest}` : baseURL
}
