type Value = string | number | boolean | undefined

/** The value of a `Link` header that leads to the next list page: the same query, from the cursor on. */
export function nextListPage(
  address: string,
  question: Readonly<Record<string, Value | readonly Value[]>> & { readonly cursor: string },
): string {
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
