import { joinUrl, type Target, targetOf } from "./target.ts"

type Headers = Readonly<Record<string, string | undefined>>

/** Where an API is, and how requests are allowed in. */
export interface Place {
  readonly baseURL: string
  /** What stands between the base URL and each path: `v1/models/x:`. */
  readonly prefix?: string | undefined
  readonly headers: Headers
  /** Headers that have to be asked for before each request, since they expire. Those in `headers` stand before them. */
  readonly auth?: (() => Promise<Headers>) | undefined
}

/** The targets of an API, each made once unless it has to be asked for. */
export class Targets {
  readonly #place: Place
  readonly #known = new Map<string, Target>()

  constructor(place: Place) {
    this.#place = place
  }

  /** `path`: what stands behind the place's own; a query is added to that of the base URL. */
  of(path: string): Target | Promise<Target> {
    const known = this.#known.get(path)
    if (known) return known
    const { baseURL, prefix = "", headers, auth } = this.#place
    const [name = "", query] = path.split("?")
    const url = new URL(joinUrl(baseURL, `${prefix}${name}`))
    for (const [key, value] of new URLSearchParams(query)) url.searchParams.set(key, value)
    if (auth) return auth().then((more) => targetOf(url.href, { ...more, ...headers }))
    const target = targetOf(url.href, headers)
    this.#known.set(path, target)
    return target
  }
}
