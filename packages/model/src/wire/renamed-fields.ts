/** The values of some params under the names that their fields have on the wire; absent ones are undefined. */
export function renamedFields(params: object, names: Readonly<Record<string, string>>): Record<string, unknown> {
  const given = params as Readonly<Record<string, unknown>>
  return Object.fromEntries(Object.entries(names).map(([name, field]) => [field, given[name]]))
}
