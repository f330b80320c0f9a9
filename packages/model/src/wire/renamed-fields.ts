/** The values of some params under the names that their fields have on the wire; absent ones and empty lists are undefined. */
export function renamedFields(params: object, names: Readonly<Record<string, string>>): Record<string, unknown> {
  const given = params as Readonly<Record<string, unknown>>
  const said = (value: unknown): unknown => (Array.isArray(value) && value.length === 0 ? undefined : value)
  return Object.fromEntries(Object.entries(names).map(([name, field]) => [field, said(given[name])]))
}
