import type { Login } from '../../contract/options/steps.ts'
import type { Ways } from '../in-page/login.ts'

// Where a login may be filled in and sent: at the origin of the page's own address, and at the origins that were named together
// with the login. Decision 25.

/** Such an action runs a script of the page, or leads nowhere. */
const STAYS = /^(javascript|about):/i

/** Many addresses still begin with http, although their server then asks for https: the same host on its usual port counts. */
export function originsOf(url: string, { origins = [] }: Pick<Login, 'origins'>): string[] {
  const { origin, protocol, port, hostname } = new URL(url)
  const upgraded = protocol === 'http:' && port === '' ? [`https://${hostname}`] : []
  return [...new Set([origin, ...upgraded, ...origins.map((each) => new URL(each).origin)])]
}

/** Why the forms of a page may not have the login. Undefined: they may. */
export function problemOfWays({ addresses, opens }: Ways, origins: readonly string[]): string | undefined {
  const [here = '', ...ways] = addresses
  if (!origins.includes(here)) return sayWhere(`is at ${nameOf(here)}`, here, origins)
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
