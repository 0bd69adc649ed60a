/** Whether a field counts as absent: null, an empty list or an empty object. Clients send these for options that were not set. */
export function isNothing(value: unknown): boolean {
  if (value === undefined || value === null) return true
  return typeof value === 'object' && Object.keys(value).length === 0
}

/** The value without fields that count as absent, at every depth: equal requests give equal values. */
export function givenOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(givenOf)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, inner]) => [name, givenOf(inner)] as const)
  return Object.fromEntries(fields.filter(([, inner]) => !isNothing(inner)))
}
