/** The scopes of several lists, each once, in the order of their first place; undefined when there are none. */
export function joinScopes(...lists: readonly (string | undefined)[]): string | undefined {
  const all = new Set(lists.flatMap((list) => (list ?? "").split(/\s+/)).filter((scope) => scope !== ""))
  return all.size === 0 ? undefined : [...all].join(" ")
}

/** Whether every scope of `wanted` is in `list`. */
export function coversScopes(list: string | undefined, wanted: string | undefined): boolean {
  return joinScopes(list, wanted) === joinScopes(list)
}
