/** Names of devices in Windows, with any ending. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i

/**
 * The file name for a picture of a page: `Home.png`, or `Home-390x844.png`. It has no character with a meaning for a file
 * system or a shell.
 */
export function pictureFileName(name: string, ending = ''): string {
  return `${plainName(name).replace(DEVICE, 'page-$1')}${ending}.png`
}

/** The same with its number, so that files sort in the order of their request: `07-Home.png`. */
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
      // The cut may leave half of a character.
      .replace(/[\ud800-\udbff]$/, '') || 'page'
  )
}
