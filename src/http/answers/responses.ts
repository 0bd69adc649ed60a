import type { FastifyReply } from 'fastify'
import { Type } from '../../contract/schema.ts'
import { describeFailure, type ErrorCode } from '../../errors.ts'
import { IMAGE_TYPE } from '../../images/images.ts'

export const notModified: object = Type.Null({
  description: 'Not changed since the `ETag` in `If-None-Match`.',
})

const header = (description: string): object => Type.String({ description })

export const resultHeaders = {
  ETag: header('Send it back in `If-None-Match`. It changes with the data and with the signing window.'),
  'X-Request-Id': header('The id of the request in the logs.'),
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

/** The failures an operation documents, by status. */
export function problemResponses(...codes: ErrorCode[]): Record<number, object> {
  // An operation that may find no space may also find a read-only storage.
  const all = codes.flatMap((code) => (code === 'storage_full' ? [code, 'read_only' as const] : [code]))
  const byStatus = Map.groupBy(all, (code) => describeFailure(code).status)
  return Object.fromEntries(
    [...byStatus].map(([status, alike]) => [
      status,
      {
        description: alike.map((code) => `\`${code}\`: ${describeFailure(code).title}.`).join(' '),
        content: { 'application/problem+json': { schema: { $ref: 'Problem#' } } },
      },
    ]),
  )
}

type Value = string | number | boolean | undefined
type Question = Readonly<Record<string, Value | readonly Value[]>> & { readonly cursor: string | undefined }

/** A `Link` header that leads to the next list page, if there is one: the same query, from the cursor on. */
export function linkNext(reply: FastifyReply, address: string, question: Question): void {
  if (question.cursor !== undefined) reply.header('link', nextListPage(address, question))
}

function nextListPage(address: string, question: Question): string {
  const query = Object.entries(question)
    .flatMap(([name, values]) => [values].flat().map((value) => [name, value] as const))
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${escapeValue(String(value))}`)
  return `<${address}?${query.join('&')}>; rel="next"`
}

/** Does not escape `/`, `:` and `?`, which are frequent in addresses: the header must not become longer than the query. */
function escapeValue(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replaceAll(/%(2F|3A|3F)/g, decodeURIComponent)
}
