/** The value of a `Link` header that leads to the next page of a list: the same question, from the cursor on. */
export function nextPage(
  address: string,
  question: Readonly<Record<string, string | number | undefined>> & { readonly cursor: string },
): string {
  const query = Object.entries(question)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value).toWellFormed())}`)
  return `<${address}?${query.join('&')}>; rel="next"`
}
