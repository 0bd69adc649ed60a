import type { FastifyReply } from 'fastify'
import type { Schema } from '../../contract/schema.ts'
import { IMAGE_TYPE } from '../../images/images.ts'

// Answers as `/openapi.json` describes them.

export const notModified = { description: 'Not changed since the `ETag` in `If-None-Match`.' }

export const header = (description: string): object => ({ schema: { type: 'string' }, description })

export const resultHeaders = {
  ETag: header('Send it back in `If-None-Match`. It changes with the data and with the signing window.'),
  'X-Request-Id': header('The id of the request in the logs.'),
}

/** An answer with JSON. `schema`: a schema, or the name of one. */
export function json(description: string, schema: Schema | string, headers?: object): object {
  const inner = typeof schema === 'string' ? { $ref: `${schema}#` } : schema
  return { description, ...(headers && { headers }), content: { 'application/json': { schema: inner } } }
}

const Link = header('`<…>; rel="next"`, if another list page follows.')

export const listPageHeaders = { ...resultHeaders, Link }

/** For list pages without an ETag. */
export const linkHeaders = { Link, 'X-Request-Id': resultHeaders['X-Request-Id'] }

const PICTURE = { [IMAGE_TYPE]: { schema: { type: 'string', format: 'binary' } } }

export const pictureResponses: Record<number, object> = {
  200: { description: 'The picture.', content: PICTURE },
  206: { description: 'A part of it.', content: PICTURE },
}

type Value = string | number | boolean | undefined
type Question = Readonly<Record<string, Value | readonly Value[]>> & { readonly cursor: string | undefined }

/** A `Link` header that leads to the next list page, if there is one: the same query, from the cursor on. */
export function linkNext(reply: FastifyReply, address: string, question: Question): void {
  if (question.cursor === undefined) return
  const query = Object.entries(question)
    .flatMap(([name, values]) => [values].flat().map((value) => [name, value] as const))
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${escapeValue(String(value))}`)
  reply.header('link', `<${address}?${query.join('&')}>; rel="next"`)
}

/** Does not escape `/`, `:` and `?`, which are frequent in addresses: the header must not become longer than the query. */
function escapeValue(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replaceAll(/%(2F|3A|3F)/g, decodeURIComponent)
}
