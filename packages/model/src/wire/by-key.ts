/** A function of texts that keeps what it made of each. */
export function byKey<Keys extends readonly string[], T>(make: (...keys: Keys) => T): (...keys: Keys) => T {
  const known = new Map<string, T>()
  return (...keys) => {
    const key = keys.join("\n")
    let made = known.get(key)
    if (made === undefined) {
      made = make(...keys)
      known.set(key, made)
    }
    return made
  }
}
