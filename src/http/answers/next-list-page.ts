import type { FastifyReply } from 'fastify'

type Value = string | number | boolean | undefined
type Question = Readonly<Record<string, Value | readonly Value[]>> & { readonly cursor: string | undefined }

/** A `Link` header that leads to the next list page, if there is one: the same question, from the cursor on. */
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
