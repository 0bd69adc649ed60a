export const UUID_PATTERN = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$'

const UUID = new RegExp(UUID_PATTERN)
const CANONICAL = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** The canonical, lower case spelling of an id, or undefined if the text is not an id. */
export function parseId(text: string): string | undefined {
  if (CANONICAL.test(text)) return text
  return UUID.test(text) ? text.toLowerCase() : undefined
}
