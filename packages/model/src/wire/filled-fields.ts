/** An object without its absent members; undefined when none is left. */
export function filledFields(value: object): Record<string, unknown> | undefined {
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  return entries.length > 0 ? Object.fromEntries<unknown>(entries) : undefined
}
