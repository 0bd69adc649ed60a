/** What Windows takes for a device, whatever comes after the first dot. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i

/** What a picture of a page is called as a file: nothing that a file system or a shell could take for something else. */
export function pictureFileName(name: string): string {
  return `${plainName(name).replace(DEVICE, 'page-$1')}.png`
}

/** The same with its place before it, so that files stand in the order of their request: `07-Home.png`. */
export function numberedFileName(
  { position, name }: { position: number; name: string },
  digits: number,
): string {
  return `${String(position + 1).padStart(digits, '0')}-${plainName(name)}.png`
}

function plainName(name: string): string {
  return (
    name
      .normalize('NFKC')
      .replaceAll(/[^\p{L}\p{M}\p{N}.]+/gu, '-')
      .replaceAll(/^[-.\p{M}]+|[-.]+$/gu, '')
      .slice(0, 80)
      // Half of a character that the cut has left.
      .replace(/[\ud800-\udbff]$/, '') || 'page'
  )
}
