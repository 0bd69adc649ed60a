import type { CDPSession } from 'playwright-core'
import type { Visitor } from './visitor.ts'

/** Chrome sends client hints since this version. Other browsers send none. */
const FIRST_WITH_HINTS = 89
/** Every Chrome names a brand that does not exist, so that servers expect unknown ones. */
const NO_BRAND = ['Not:A-Brand', '8'] as const
const BRANDS: readonly [RegExp, string][] = [
  [/\bEdg\w*\//, 'Microsoft Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bHeadlessChrome\//, 'HeadlessChrome'],
  [/\bChromium\//, ''],
]

interface System {
  readonly name: string
  readonly version: string
  /** `navigator.platform`. */
  readonly platform: string
}

/**
 * Tells the page everything that fits the user agent: client hints (`navigator.userAgentData`, `Sec-CH-UA`) and
 * `navigator.platform`. Playwright alone would send the hints of this browser with every user agent.
 */
export async function callBrowser(
  session: CDPSession,
  userAgent: string,
  { mobile, locale }: Pick<Visitor, 'mobile' | 'locale'>,
): Promise<void> {
  const system = systemOf(userAgent)
  const hints = hintsOf(userAgent, mobile, system)
  await session.send('Emulation.setUserAgentOverride', {
    userAgent,
    acceptLanguage: locale,
    ...(system && { platform: system.platform }),
    ...(hints && { userAgentMetadata: hints }),
  })
}

/** Undefined for a browser that has no client hints. */
export function hintsOf(userAgent: string, mobile: boolean, system: System | undefined) {
  const [, version = '', major = ''] = /\b(?:Headless)?Chrom(?:e|ium)\/((\d+)[\d.]*)/.exec(userAgent) ?? []
  if (Number(major) < FIRST_WITH_HINTS) return undefined
  const [sign] = BRANDS.filter(([token]) => token.test(userAgent))
  const names = ['Chromium', sign ? sign[1] : 'Google Chrome'].filter((name) => name !== '')
  const listOf = (given: string, unknown: string) => [
    { brand: NO_BRAND[0], version: unknown },
    ...names.map((brand) => ({ brand, version: given })),
  ]
  const [, model = ''] = /Android [\d.]+; ([^;)]+)/.exec(userAgent) ?? []
  return {
    brands: listOf(major, NO_BRAND[1]),
    fullVersionList: listOf(version, `${NO_BRAND[1]}.0.0.0`),
    platform: system?.name ?? '',
    platformVersion: system?.version ?? '',
    architecture: system?.name === 'Android' ? '' : 'x86',
    bitness: system?.name === 'Android' ? '' : '64',
    // The browser refuses hints that are not ASCII.
    model: model === 'K' ? '' : model.replace(/ Build\/.*/, '').replaceAll(/[^ -~]/g, ''),
    mobile,
    wow64: false,
  }
}

export function systemOf(userAgent: string): System | undefined {
  const found = (sign: RegExp) => sign.exec(userAgent)?.[1]?.replaceAll('_', '.')
  const android = found(/Android (\d+(?:\.\d+)*)/)
  if (android) return { name: 'Android', version: `${android}.0.0`, platform: 'Linux armv81' }
  const phone = found(/(iPhone|iPad|iPod)/)
  if (phone) return { name: 'iOS', version: '', platform: phone }
  const mac = found(/Mac OS X (\d+(?:[_.]\d+)*)/)
  if (mac) return { name: 'macOS', version: mac, platform: 'MacIntel' }
  const windows = found(/Windows NT (\d+\.\d+)/)
  if (windows) return { name: 'Windows', version: `${windows}.0`, platform: 'Win32' }
  if (/Linux/.test(userAgent)) return { name: 'Linux', version: '', platform: 'Linux x86_64' }
  return undefined
}
