import { createHash } from 'node:crypto'

/** The parts of an OpenAPI document that the page shows. */
export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string }
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> }
}

interface Operation {
  readonly summary?: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: Pick<Response, 'content'>
  readonly responses?: Readonly<Record<string, Response>>
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema?: Schema
}

interface Response {
  readonly description?: string
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>
}

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#e3e3e8, #33343c); --soft: light-dark(#666a75, #a0a4b0); --accent: light-dark(#0b6e4f, #3ddc9f) }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 54rem; margin: 0 auto; padding: 2.5rem 1.25rem 6rem }
h1 { margin: 0; font-size: 2rem } h2 { margin-top: 3.5rem; border-bottom: 1px solid var(--line) } h3 { margin: 2.5rem 0 .25rem; font-size: 1.05rem; overflow-wrap: anywhere }
h3 b { color: var(--accent); margin-right: .6rem } code { font: .9em ui-monospace, monospace; overflow-wrap: anywhere }
table { border-collapse: collapse; width: 100%; margin: .75rem 0 } th { text-align: left; color: var(--soft); font-weight: 500; font-size: .85rem }
td, th { border-bottom: 1px solid var(--line); padding: .4rem .9rem .4rem 0; vertical-align: top } td:first-child { white-space: nowrap }
p { margin: .4rem 0 } a { color: var(--accent) } .soft { color: var(--soft) }`

/** Nothing runs and nothing is fetched; the one style sheet is allowed by its hash. */
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

export const DOCS_CSP = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; frame-ancestors 'none'`

/** A page for people from the OpenAPI document, complete without a script or another host. */
export function renderDocs({ info, paths = {}, components }: ApiDocument): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const sections = Map.groupBy(operations, ({ operation }) => operation.tags?.[0] ?? 'Other')
  return [
    '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    `<title>${escapeHtml(info.title)} API</title><style>${STYLE}</style>`,
    `<h1>${escapeHtml(info.title)}</h1><p class="soft">API ${escapeHtml(info.version)} · <a href="openapi.json">openapi.json</a></p>`,
    `<p>${prose(info.description)}</p>`,
    ...[...sections].map(
      ([tag, members]) => `<h2>${escapeHtml(tag)}</h2>${members.map(renderOperation).join('')}`,
    ),
    '<h2>Schemas</h2>',
    ...Object.entries(components?.schemas ?? {}).map(
      ([name, schema]) =>
        `<h3 id="${escapeHtml(name)}">${escapeHtml(name)}</h3><p>${prose(schema.description)}</p>${renderFields(schema)}`,
    ),
    '</html>',
  ].join('\n')
}

function renderOperation({
  path,
  method,
  operation,
}: {
  path: string
  method: string
  operation: Operation
}) {
  const { parameters = [], requestBody, responses = {} } = operation
  return [
    `<h3><b>${method.toUpperCase()}</b><code>${escapeHtml(path)}</code></h3>`,
    `<p>${prose(operation.summary)}. ${prose(operation.description)}</p>`,
    table(
      ['Parameter', 'Type', ''],
      parameters.map(({ name, in: place, required, description, schema }) => [
        `<code>${escapeHtml(name)}</code>`,
        `${renderType(schema)} in ${escapeHtml(place)}${required ? '' : ', optional'}`,
        prose(description),
      ]),
    ),
    table(['Body'], requestBody ? [[renderContent(requestBody.content)]] : []),
    table(
      ['Answer', 'Body', ''],
      Object.entries(responses).map(([status, { content = {}, description }]) => [
        escapeHtml(status),
        renderContent(content),
        prose(description),
      ]),
    ),
  ].join('')
}

function renderContent(content: Response['content'] = {}): string {
  const [[type, { schema }] = ['', {}]] = Object.entries(content)
  return type && `${renderType(schema)} <span class="soft">${escapeHtml(type)}</span>`
}

/** One row a field; the fields of an object within follow it, named with a dot, and `[]` where there are many. */
function renderFields(schema: Schema): string {
  const rows = (fields: Schema, prefix: string): string[][] =>
    Object.entries(fields.properties ?? {}).flatMap(([name, field]) => [
      [
        `<code>${escapeHtml(prefix + name)}</code>`,
        `${renderType(field)}${fields.required?.includes(name) ? '' : ', optional'}`,
        prose(field.description),
      ],
      ...rows(field, `${prefix}${name}.`),
      ...rows(field.items ?? {}, `${prefix}${name}[].`),
    ])
  return table(['Field', 'Type', ''], rows(schema, ''))
}

function renderType(schema: Schema = {}): string {
  if (schema.$ref) {
    const name = escapeHtml(schema.$ref.split('/').at(-1) ?? '')
    return `<a href="#${name}">${name}</a>`
  }
  if (schema.type === 'array') return `array of ${renderType(schema.items)}`
  const range = schema.maximum === undefined ? '' : ` ${schema.minimum ?? 0}–${schema.maximum}`
  const types = [schema.type ?? 'any'].flat().join(' or ')
  return `${escapeHtml(types)}${schema.format ? ` (${escapeHtml(schema.format)})` : ''}${range}`
}

function table(header: string[], rows: string[][]): string {
  if (rows.length === 0) return ''
  const line = (cells: string[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`
  return `<table>${line(header, 'th')}${rows.map((row) => line(row, 'td')).join('')}</table>`
}

function prose(text = ''): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
