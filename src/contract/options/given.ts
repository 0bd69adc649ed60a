/** Whether it asks for nothing: null, an empty list or an empty object. Clients send these for what was not given. */
export function isNothing(value: unknown): boolean {
  if (value === undefined || value === null) return true
  return typeof value === 'object' && Object.keys(value).length === 0
}

/** The fields that ask for something, also within: equal requests give equal values. */
export function givenOf<T extends object>(fields: T): Partial<T> {
  return tidy(fields) as Partial<T>
}

function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, inner]) => [name, tidy(inner)] as const)
  return Object.fromEntries(fields.filter(([, inner]) => !isNothing(inner)))
}
