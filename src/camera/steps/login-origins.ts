import type { Ways } from '../in-page/login.ts'

// Where a login may be filled in and sent: at the origins that it was given for (`homeOf`). If the page has been elsewhere on its way,
// whoever is there may have chosen the page that came then (`Trust.guide`). Decision 25.

/** Such an action runs a script of the page, or leads nowhere. */
const STAYS = /^(javascript|about):/i

/** Why the forms of a page may not have the login. Undefined: they may. */
export function problemOfWays(
  { addresses, opens }: Ways,
  { origins, guide }: { readonly origins: readonly string[]; readonly guide: string | undefined },
): string | undefined {
  const [here = '', ...ways] = addresses
  if (!origins.includes(here)) return sayWhere(`is at ${nameOf(here)}`, here, origins)
  if (guide !== undefined) return sayWhere(`was reached by way of ${guide}`, guide, origins)
  const away = ways.filter((way) => !STAYS.test(way)).map(originOf)
  const stray = away.find((origin) => !origins.includes(origin))
  if (stray !== undefined) return sayWhere(`leads to ${nameOf(stray)}`, stray, origins)
  return opens ? 'The form of the login opens another window.' : undefined
}

export function sayWhere(words: string, origin: string, origins: readonly string[]): string {
  const advice = isOrigin(origin) ? ` If it belongs there, name ${origin} in loginParameter.origins.` : ''
  return `The form of the login ${words}. The login was given for ${origins.join(', ')}.${advice}`
}

function originOf(address: string): string {
  const { origin = 'null', protocol = '' } = URL.parse(address) ?? {}
  return origin === 'null' ? protocol : origin
}

function nameOf(origin: string): string {
  return isOrigin(origin) ? origin : origin === 'null' ? 'a document without an origin' : `“${origin}”`
}

function isOrigin(origin: string): boolean {
  return /^https?:/.test(origin) && URL.canParse(origin)
}
