const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The canonical, lower case spelling of an id, or undefined if the text is not an id. */
export function parseId(text: string): string | undefined {
  return UUID.test(text) ? text.toLowerCase() : undefined
}
