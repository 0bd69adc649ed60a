/** The keywords of a schema that the page shows. */
export interface OpenApiSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly title?: string
  readonly format?: string
  readonly description?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly items?: OpenApiSchema
  readonly properties?: Readonly<Record<string, OpenApiSchema>>
  readonly additionalProperties?: OpenApiSchema | boolean
  readonly oneOf?: readonly OpenApiSchema[]
  readonly required?: readonly string[]
  readonly examples?: readonly unknown[]
}

/** A longer list of values is folded away. */
const MOST_SHOWN = 20
/** From this number on, fields that were shown before become one row. */
const FEWEST_REPEATED = 3

/** One row for each field. Fields of nested objects follow, as in `meta.url`. `[]` marks a list, `*` any name. */
export function renderFields(schema: OpenApiSchema): string {
  const before = new Map<string, string>()

  const rowsOf = (fields: OpenApiSchema, prefix: string): string[][] => {
    const all = Object.entries(fields.properties ?? {})
    const repeated = all.filter(([name, field]) => before.has(keyOf(name, field)))
    const isFolded = repeated.length >= FEWEST_REPEATED
    const rows = all
      .filter((entry) => !isFolded || !repeated.includes(entry))
      .flatMap(([name, field]) => {
        before.set(keyOf(name, field), prefix)
        const isOptional = !fields.required?.includes(name)
        return [toRow(prefix + name, field, isOptional), ...rowsInside(field, prefix + name)]
      })
    return isFolded ? [...rows, toRepeated(repeated, prefix)] : rows
  }

  const rowsInside = (field: OpenApiSchema, place: string): string[][] => {
    const { items, oneOf = [], additionalProperties: others } = field
    return [
      ...rowsOf(field, place && `${place}.`),
      ...oneOf.flatMap((kind) => rowsOf(kind, `${place.replace(/\[\]$/, '')}[${kind.title}].`)),
      ...(items ? rowsInside(items, `${place}[]`) : []),
      ...(typeof others === 'object' ? [toRow(`${place && `${place}.`}*`, others, false)] : []),
    ]
  }

  const toRepeated = (repeated: readonly (readonly [string, OpenApiSchema])[], prefix: string): string[] => {
    const names = repeated.map(([name]) => `<code>${escapeHtml(name)}</code>`)
    const [[name, field] = ['', {}]] = repeated
    const place = (before.get(keyOf(name, field)) ?? '').replace(/\.$/, '')
    return [
      `<code>${escapeHtml(prefix)}…</code>`,
      'optional',
      `${names.join(', ')}: as in <code>${escapeHtml(place)}</code>.`,
    ]
  }

  return table(['Field', 'Type', ''], rowsInside(schema, '')) + renderValues(schema)
}

export function renderType(schema: OpenApiSchema = {}): string {
  if (schema.$ref) {
    const name = escapeHtml(schema.$ref.split('/').at(-1) ?? '')
    return `<a href="#${name}">${name}</a>`
  }
  if (schema.type === 'array') return `array of ${renderType(schema.items)}`
  const values = schema.const === undefined ? (schema.enum ?? []) : [schema.const]
  if (values.length > 0 && values.length <= MOST_SHOWN) {
    return values.map((value) => `<code>${escapeHtml(String(value))}</code>`).join(' ')
  }
  const range = schema.maximum === undefined ? '' : ` ${schema.minimum ?? 0}–${schema.maximum}`
  const types = [schema.type ?? 'any'].flat().join(' or ')
  return `${escapeHtml(types)}${schema.format ? ` (${escapeHtml(schema.format)})` : ''}${range}`
}

function toRow(place: string, field: OpenApiSchema, isOptional: boolean): string[] {
  return [
    `<code>${escapeHtml(place)}</code>`,
    `${renderType(field)}${isOptional ? ', optional' : ''}`,
    prose(field.description),
  ]
}

/** The values of a long list, to be unfolded. */
function renderValues({ enum: values = [] }: OpenApiSchema): string {
  if (values.length === 0) return ''
  const all = values.map((value) => escapeHtml(String(value))).join(', ')
  return `<details><summary>All ${values.length} names</summary><p>${all}</p></details>`
}

function keyOf(name: string, field: OpenApiSchema): string {
  return `${name} ${JSON.stringify(field)}`
}

export function table(header: string[], rows: string[][]): string {
  if (rows.length === 0) return ''
  const line = (cells: string[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`
  return `<table>${line(header, 'th')}${rows.map((row) => line(row, 'td')).join('')}</table>`
}

/** Plain text, where `code` is between backticks. */
export function prose(text = ''): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
