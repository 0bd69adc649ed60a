/** The value of a `Content-Disposition` header (RFC 6266): an ASCII name for every client, and the exact name. */
export function attachment(fileName: string): string {
  const plain = fileName
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/[^\w.-]+/g, '-')
  const disposition = `attachment; filename="${plain}"`
  if (plain === fileName) return disposition
  const escaped = encodeURIComponent(fileName.toWellFormed()).replaceAll(
    /['()*!]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${disposition}; filename*=UTF-8''${escaped}`
}
