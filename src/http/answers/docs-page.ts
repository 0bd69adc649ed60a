import { createHash } from 'node:crypto'
import { escapeHtml, type OpenApiSchema, prose, renderFields, renderType, table } from './docs-fields.ts'
import { STYLE } from './docs-style.ts'

/** The parts of an OpenAPI document that the page shows. */
export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string }
  readonly tags?: readonly { readonly name: string; readonly description?: string }[]
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components?: { readonly schemas?: Readonly<Record<string, OpenApiSchema>> }
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
  readonly schema?: OpenApiSchema
}

interface Response {
  readonly description?: string
  readonly content?: Readonly<Record<string, { readonly schema?: OpenApiSchema }>>
}

/** No scripts and no other files. The style sheet is allowed by its hash. */
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

export const DOCS_CSP = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; frame-ancestors 'none'`

type OpenApiSchemas = Readonly<Record<string, OpenApiSchema>>

const MARK =
  '<svg viewBox="0 0 32 32" aria-hidden="true"><path d="M3 5h12v9.5H3zm14.5 0h12v9.5h-12zM3 17.5h12V27H3zm14.5 0h12V27h-12z"/>' +
  '<ellipse cx="23.5" cy="22" rx="8" ry="7" transform="rotate(-12 23.5 22)"/></svg>'

/** The OpenAPI document as a web page, without scripts and other hosts. */
export function renderDocs({ info, tags = [], paths = {}, components }: ApiDocument): string {
  const { schemas = {} } = components ?? {}
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const sections = Map.groupBy(operations, ({ operation }) => operation.tags?.[0] ?? 'Other')
  const names = [...sections.keys(), 'Schemas']
  const links = names.map((name) => `<a href="#${escapeHtml(name)}">${escapeHtml(name)}</a>`)
  return [
    '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    `<title>${escapeHtml(info.title)} API</title><style>${STYLE}</style>`,
    `<header><a class="back" href="./">${MARK}<span>${escapeHtml(info.title)}</span></a><nav aria-label="Sections">${links.join('')}</nav></header>`,
    `<main><h1>API</h1><p class="soft">Version ${escapeHtml(info.version)} · <a href="openapi.json">openapi.json</a> · <a href="./">Back to the gallery</a></p>`,
    `<p>${prose(info.description)}</p>`,
    ...[...sections].map(([tag, members]) => {
      const { description } = tags.find(({ name }) => name === tag) ?? {}
      const shown = members.map((member) => renderOperation(member, schemas))
      return `<h2 id="${escapeHtml(tag)}">${escapeHtml(tag)}</h2><p class="soft">${prose(description)}</p>${shown.join('')}`
    }),
    '<h2 id="Schemas">Schemas</h2>',
    ...Object.entries(schemas).map(
      ([name, schema]) =>
        `<section><h3 id="${escapeHtml(name)}">${escapeHtml(name)}</h3><p>${prose(schema.description)}</p>${renderFields(schema)}${renderExample('Example', schema, schemas)}</section>`,
    ),
    '</main></html>',
  ].join('\n')
}

interface Member {
  readonly path: string
  readonly method: string
  readonly operation: Operation
}

function renderOperation({ path, method, operation }: Member, schemas: OpenApiSchemas): string {
  const { parameters = [], requestBody, responses = {} } = operation
  const [success] = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  return [
    `<section><h3><b>${method.toUpperCase()}</b><code>${escapeHtml(path)}</code></h3>`,
    `<p>${prose(operation.summary)}. ${prose(operation.description)}</p>`,
    table(
      ['Parameter', 'Type', ''],
      parameters.map(({ name, in: where, required, description, schema }) => [
        `<code>${escapeHtml(name)}</code>`,
        `${renderType(schema)} in ${escapeHtml(where)}${required ? '' : ', optional'}`,
        prose(description),
      ]),
    ),
    table(['Body'], requestBody ? [[renderContent(requestBody.content)]] : []),
    renderExample('Example of a body', schemaOf(requestBody?.content), schemas),
    table(
      ['Answer', 'Body', ''],
      Object.entries(responses).map(([status, { content = {}, description }]) => [
        escapeHtml(status),
        renderContent(content),
        prose(description),
      ]),
    ),
    renderExample('Example of an answer', schemaOf(success?.[1].content), schemas),
    '</section>',
  ].join('')
}

function schemaOf(content: Response['content'] = {}): OpenApiSchema | undefined {
  return Object.values(content)[0]?.schema
}

function renderExample(title: string, schema: OpenApiSchema | undefined, schemas: OpenApiSchemas): string {
  const examples = schema ? examplesOf(schema, schemas) : []
  const number = (index: number) => (examples.length > 1 ? ` ${index + 1}` : '')
  return examples
    .map((example, index) => {
      const json = escapeHtml(JSON.stringify(example, undefined, 2))
      return `<details><summary>${title}${number(index)}</summary><pre tabindex="0">${json}</pre></details>`
    })
    .join('')
}

/** The examples of the schema, or of the schema that it refers to. For a list, lists of one. */
function examplesOf(schema: OpenApiSchema, schemas: OpenApiSchemas): readonly unknown[] {
  if (schema.$ref) return schemas[schema.$ref.split('/').at(-1) ?? '']?.examples ?? []
  if (schema.examples || schema.type !== 'array' || !schema.items) return schema.examples ?? []
  return examplesOf(schema.items, schemas).map((item) => [item])
}

function renderContent(content: Response['content'] = {}): string {
  const [[type, { schema }] = ['', {}]] = Object.entries(content)
  return type && `${renderType(schema)} <span class="soft">${escapeHtml(type)}</span>`
}
