/** Options with many fields or values. Their schema is in the document once, under this name. */
const NAMES: Readonly<Record<string, string>> = {
  device: 'Device',
  effects: 'Effects',
  loginParameter: 'LoginParameter',
  headers: 'Headers',
  cookies: 'Cookies',
  clicks: 'Clicks',
}

type Json = Readonly<Record<string, unknown>>

/**
 * Several schemas have the same options: a request, its pages, and answers that show them. Points all of them at one schema.
 * An option with other limits elsewhere stays as it is there.
 */
export function shareSchemas<T extends object>(schemas: Readonly<Record<string, T>>): Record<string, object> {
  const shared = new Map<string, { readonly text: string; readonly schema: Json }>()
  const share = (name: string, schema: Json): unknown => {
    const component = NAMES[name]
    if (component === undefined) return walk(schema)
    const text = JSON.stringify(schema)
    const first = shared.get(component) ?? { text, schema }
    shared.set(component, first)
    if (first.text !== text) return walk(schema)
    return { $ref: `#/components/schemas/${component}`, description: schema['description'] }
  }
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk)
    if (!isObject(value)) return value
    const fields = Object.entries(value).map(([name, inner]) => {
      if (name !== 'properties' || !isObject(inner)) return [name, name === 'examples' ? inner : walk(inner)]
      const properties = Object.entries(inner)
      return [name, Object.fromEntries(properties.map(([key, schema]) => [key, share(key, schema as Json)]))]
    })
    return Object.fromEntries(fields)
  }
  // Its limits are those of the operator, so its options come first.
  walk(schemas['ScreenshotRequest'])
  const walked = Object.entries(schemas).map(([name, schema]) => [name, walk(schema)] as const)
  const others = [...shared].map(([name, { schema }]) => [name, schema] as const)
  return Object.fromEntries([...walked, ...others]) as Record<string, object>
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
