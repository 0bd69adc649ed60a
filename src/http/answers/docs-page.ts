import { createHash } from 'node:crypto'
import { escapeHtml, type OpenApiSchema, prose, renderFields, renderType, table } from './docs-fields.ts'

/** The parts of an OpenAPI document that the page shows. */
export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string }
  readonly tags?: readonly { readonly name: string; readonly description?: string }[]
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components?: { readonly schemas?: Readonly<Record<string, OpenApiSchema>> }
}

type Content = Readonly<Record<string, { readonly schema?: OpenApiSchema }>>

interface Described {
  readonly description?: string
  readonly content?: Content
}

interface Parameter extends Described {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema?: OpenApiSchema
}

interface Operation extends Described {
  readonly summary?: string
  readonly tags?: readonly string[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: Described
  readonly responses?: Readonly<Record<string, Described>>
}

/** The look of the gallery (gallery/src/style): paper, ink, and the red of the pencil. */
const STYLE = `
:root { color-scheme: light dark; --paper: light-dark(#faf9f7, #131315); --card: light-dark(#fff, #1c1c20); --sunk: light-dark(#f0eeea, #0d0d0f); --ink: light-dark(#1b1b1e, #f1efec); --soft: light-dark(#625f68, #a9a6b0); --line: light-dark(#e4e0da, #2d2d33); --mark: light-dark(#bf3015, #ff8265) }
* { box-sizing: border-box } html { scroll-padding-top: 5rem }
body { margin: 0; background: var(--paper); color: var(--ink); font: 400 1rem/1.5 "Instrument Sans Variable", system-ui, sans-serif; -webkit-font-smoothing: antialiased }
header { position: sticky; top: 0; display: flex; align-items: center; gap: .4rem 1.5rem; padding: .7rem max(1rem, (100% - 58rem) / 2); background: var(--paper); border-bottom: 1px solid var(--line) }
header a { color: inherit; text-decoration: none } header nav { display: flex; gap: 1.25rem; overflow-x: auto; color: var(--soft) } header nav a:hover { color: var(--ink) }
.back { display: flex; align-items: center; gap: .55rem; font-weight: 650; letter-spacing: -.02em } svg { width: 1.75rem; height: 1.75rem; fill: var(--ink) } ellipse { fill: none; stroke: var(--mark); stroke-width: 2.4 }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem 5rem }
h1 { margin: 0; font-size: clamp(1.6rem, 1.2rem + 1.4vw, 2.25rem); font-weight: 600; line-height: 1.15; letter-spacing: -.02em } h2 { margin: 3rem 0 0; font-size: 1.35rem; font-weight: 600 } h3 { margin: 0 0 .25rem; font-size: 1.05rem; font-weight: 600; overflow-wrap: anywhere }
section { margin: 1.25rem 0; padding: 1rem 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: 8px; overflow-x: auto }
h3 b { color: var(--mark); margin-right: .6rem } code, pre { font: .9em ui-monospace, monospace; background: var(--sunk); border-radius: 4px } code { padding: .1em .35em; overflow-wrap: anywhere } pre { margin: .5rem 0 0; padding: .8rem 1rem; overflow-x: auto } h3 code { background: none; padding: 0 }
table { border-collapse: collapse; width: 100%; margin: .75rem 0 } th { text-align: left; color: var(--soft); font-weight: 500; font-size: .85rem } td, th { border-bottom: 1px solid var(--line); padding: .4rem .9rem .4rem 0; vertical-align: top } td { overflow-wrap: break-word } td .soft { white-space: nowrap } tr:last-child td { border-bottom: 0 } td code { white-space: nowrap }
p { margin: .4rem 0 } a { color: var(--mark); text-underline-offset: .2em } .soft { color: var(--soft) } summary { cursor: pointer; color: var(--soft); font-size: .9rem } a:focus-visible, summary:focus-visible, pre:focus-visible { outline: 2px solid var(--mark); outline-offset: 2px }
@media (max-width: 40rem) { section { padding: .8rem } tr { display: block; border-bottom: 1px solid var(--line); padding: .4rem 0 } td { display: block; border: 0; padding: .1rem 0 } td code { white-space: normal } tr:has(th) { display: none } }`

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

function schemaOf(content: Content = {}): OpenApiSchema | undefined {
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

function renderContent(content: Content = {}): string {
  const [[type, { schema }] = ['', {}]] = Object.entries(content)
  return type && `${renderType(schema)} <span class="soft">${escapeHtml(type)}</span>`
}
