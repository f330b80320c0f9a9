/**
 * The list in an order of roles that strict servers take: `bridge`, an assistant's, between tool results and a user's
 * message; what a system says after an assistant or a tool as a user's. `bridged`: which of the results have a user's
 * after them already.
 */
export function rolesInOrder<T extends { readonly role: string }>(
  list: readonly T[],
  bridge: T,
  bridged: (item: T) => boolean = () => false,
): T[] {
  const out: T[] = []
  for (let item of list) {
    const last = out.at(-1)
    const before = last?.role
    if (item.role === "system" && (before === "assistant" || before === "tool")) item = { ...item, role: "user" }
    if (last && before === "tool" && item.role === "user" && !bridged(last)) out.push(bridge)
    out.push(item)
  }
  return out
}
