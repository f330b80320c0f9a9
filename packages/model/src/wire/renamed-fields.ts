/** The values of some params under the names that their fields have on the wire; absent ones and empty lists are undefined. */
export function renamedFields(params: object, names: Readonly<Record<string, string>>): Record<string, unknown> {
  const given = params as Readonly<Record<string, unknown>>
  const said = (value: unknown): unknown => (Array.isArray(value) && value.length === 0 ? undefined : value)
  return Object.fromEntries(Object.entries(names).map(([name, field]) => [field, said(given[name])]))
}

/** The names of params with those that their fields have on most wires: `topP` and `top_p`. */
export function snakeNames(names: string): Readonly<Record<string, string>> {
  const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return Object.fromEntries(names.split(" ").map((name) => [name, snake(name)]))
}

/** {@link renamedFields} without those that there is a reason against: of each of them that was given `warn` is told why. */
export function takenFields(
  params: object,
  names: Readonly<Record<string, string>>,
  against: Readonly<Record<string, string | undefined>>,
  warn: (code: string, message: string) => void,
): Record<string, unknown> {
  const given = params as Readonly<Record<string, unknown>>
  const isTaken = (name: string): boolean => {
    const why = given[name] === undefined ? undefined : against[name]
    if (why !== undefined) warn("unsupported_param", `${name} was left out: ${why}.`)
    return why === undefined
  }
  return renamedFields(params, Object.fromEntries(Object.entries(names).filter(([name]) => isTaken(name))))
}
