/** The schema of a body or a parameter in a document. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly oneOf?: readonly JsonSchema[]
  readonly additionalProperties?: JsonSchema | boolean
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly examples?: readonly unknown[]
  readonly format?: string
  readonly [keyword: string]: unknown
}

export interface Operation {
  readonly operationId: string
  readonly parameters?: readonly {
    readonly in: 'path' | 'query' | 'header'
    readonly name: string
    readonly schema: JsonSchema
  }[]
  readonly requestBody?: {
    readonly content: { readonly 'application/json': { readonly schema: JsonSchema } }
  }
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> }
}

type Path = readonly (string | number)[]

export interface Field {
  readonly path: Path
  readonly schema: JsonSchema
}

/** Values that no field expects, as JSON. */
export const ODD_JSON: readonly string[] = [
  ...['null', 'true', '0', '-0', '-1', '0.1', '1e308', '9007199254740993', '1e999', '-1e999'],
  ...['""', '" "', '"x"', '"0"', '"null"', '"\\u0000"', '"\\ud800"', '"a\\udc00b"', '"\\u202e\\ufeff😀"'],
  ...[
    '[]',
    '{}',
    '[null]',
    '[[]]',
    '{"":null}',
    '{"__proto__":{"x":1}}',
    '{"constructor":1}',
    '{"\\ud800":1}',
  ],
  JSON.stringify('x'.repeat(100_000)),
  `${'['.repeat(20)}${']'.repeat(20)}`,
  `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
]

/** The same for a query or a header: percent-encoded. */
export const ODD_TEXTS: readonly string[] = [
  ...[
    '',
    'null',
    'undefined',
    '0',
    '-0',
    '-1',
    '0.1',
    '1e308',
    '9007199254740993',
    '99999999999999999999',
    'NaN',
  ],
  ...['true', '[]', '{}', '%00', '%ED%A0%80', '%F0%9F%98%80', '%', '%25', '*', "'", '%22', '%5C', 'x%0D%0Ay'],
  'x'.repeat(3_000),
]

/** The same for ids in a path. */
export const ODD_IDS: readonly string[] = ['null', '%00', '%ED%A0%80', '%', '%2e%2e', 'x'.repeat(3_000)]

/** Cursors, valid ones and invalid ones. */
export const ODD_CURSORS: readonly string[] = [
  '0.x',
  '9999999999999999.x',
  '-1.x',
  '["x",1]',
  '[9e99,"x"]',
  'null',
].map((text) => Buffer.from(text).toString('base64url'))

export function resolve(schema: JsonSchema, { components }: Document): JsonSchema {
  if (schema.$ref === undefined) return schema
  const found = components.schemas[schema.$ref.split('/').at(-1) ?? '']
  if (!found) throw new Error(`${schema.$ref} leads nowhere`)
  return resolve(found, { components } as Document)
}

/** Every field inside, with its lists and objects. */
export function fieldsOf(given: JsonSchema, document: Document, path: Path = []): Field[] {
  const schema = resolve(given, document)
  const inside = (name: string | number, inner: JsonSchema) => fieldsOf(inner, document, [...path, name])
  const { additionalProperties } = schema
  return [
    { path, schema },
    ...(schema.items ? inside(0, schema.items) : []),
    ...(schema.oneOf ?? []).flatMap((one) => fieldsOf(one, document, path).slice(1)),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => inside(name, inner)),
    ...(typeof additionalProperties === 'object' ? inside('x', additionalProperties) : []),
  ]
}

/** A small value that is valid, or nearly so. */
export function fitting(given: JsonSchema, document: Document): unknown {
  const schema = resolve(given, document)
  const example = schema.examples?.[0] ?? schema['default'] ?? schema.const ?? schema.enum?.[0]
  if (example !== undefined) return example
  if (schema.oneOf?.[0]) return fitting(schema.oneOf[0], document)
  if (schema.type === 'array') return schema.items ? [fitting(schema.items, document)] : []
  if (schema.type === 'object') {
    const required = (schema.required ?? []).map((name) => [
      name,
      fitting(schema.properties?.[name] ?? {}, document),
    ])
    return Object.fromEntries(required)
  }
  if (schema.type === 'boolean') return true
  if (schema.type === 'integer' || schema.type === 'number') return schema['minimum'] ?? 1
  return schema.format === 'uuid' ? crypto.randomUUID() : 'x'
}

/** The largest value that is valid, or nearly so. */
export function largest(given: JsonSchema, document: Document, depth = 0): unknown {
  const schema = resolve(given, document)
  const { maxLength, maximum, maxItems } = schema as { [keyword: string]: number | undefined }
  if (schema.enum) return schema.enum.at(-1)
  if (schema.const !== undefined) return schema.const
  if (schema.oneOf) return largest(schema.oneOf.at(-1) ?? {}, document, depth)
  if (schema.type === 'array') {
    const item = schema.items && (depth > 1 ? fitting : largest)(schema.items, document, depth + 1)
    return Array.from({ length: maxItems ?? 10 }, () => item)
  }
  if (schema.type === 'object') {
    const all = Object.entries(schema.properties ?? {})
    return Object.fromEntries(all.map(([name, inner]) => [name, largest(inner, document, depth + 1)]))
  }
  if (schema.type === 'boolean') return true
  if (schema.type === 'integer' || schema.type === 'number') return maximum ?? Number.MAX_SAFE_INTEGER
  return schema.format === 'uuid' ? crypto.randomUUID() : 'x'.repeat(maxLength ?? 10_000)
}

const HERE = '\u2603 here'

/** The body as JSON, with this text in place of one of its fields. Missing objects on the way are created. */
export function putAt(body: unknown, { path }: Field, json: string): string {
  if (path.length === 0) return json
  const whole = structuredClone(body) as Record<string | number, unknown>
  let at = whole
  for (const [index, name] of path.slice(0, -1).entries()) {
    if (typeof at[name] !== 'object' || at[name] === null)
      at[name] = typeof path[index + 1] === 'number' ? [] : {}
    at = at[name] as Record<string | number, unknown>
  }
  at[path.at(-1) ?? ''] = HERE
  return JSON.stringify(whole).replace(JSON.stringify(HERE), () => json)
}
