import type { CaptureOptions } from './capture-options.ts'
import type { ScreenshotRequest } from './screenshot-request.ts'
import type { PageStatus, RootStatus } from './status.ts'

export interface AskedAgain {
  readonly request: ScreenshotRequest
  /** Where the request has an empty string instead of a secret, as JSON pointers. `fillIn` puts secrets there. */
  readonly secrets: readonly string[]
}

/** The parts of a status that describe the request. */
export type Asked = Pick<RootStatus, 'tags' | 'options' | 'urls'>

/**
 * The request that a status belongs to, to be sent again: all its pages, or those that failed. The status of an import has
 * no options: its request needs a width and a height.
 */
export function askAgain({ tags, options, urls }: Asked, { only }: { only?: 'failed' } = {}): AskedAgain {
  const chosen = only === undefined ? urls : urls.filter(({ state }) => state === only)
  const { failOn, tags: _, ...shown }: Partial<CaptureOptions> = options ?? {}
  const request: ScreenshotRequest = {
    screenshotParameter: { ...shown, ...(tags.length > 0 && { tags: [...tags] }) },
    urls: chosen.map(toPage),
    ...(failOn && { failOn }),
  }
  return { request, secrets: placesOfSecrets(request) }
}

/** Where a request has an empty string instead of a secret, as JSON pointers. */
export function placesOfSecrets(request: Pick<ScreenshotRequest, 'screenshotParameter' | 'urls'>): string[] {
  const places: string[] = []
  replaceEmpty(request, '', (place) => {
    places.push(place)
    return ''
  })
  return places
}

/** Puts secrets into a request or its options, by their places. The others stay empty. */
export function fillIn<T extends object>(given: T, secrets: Readonly<Record<string, string>>): T {
  return replaceEmpty(given, '', (place) => secrets[place] ?? '') as T
}

function toPage({ url, name, loadingTime, options }: PageStatus): ScreenshotRequest['urls'][number] {
  const { failOn: _, ...own } = options ?? {}
  return { url, name, ...(loadingTime !== undefined && { loadingTime }), ...own }
}

/** No string of a request may be empty. So an empty one stands for a secret, and no schema is needed to find it. */
function replaceEmpty(value: unknown, at: string, replace: (place: string) => string): unknown {
  if (value === '') return replace(at)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item, index) => replaceEmpty(item, `${at}/${index}`, replace))
  const fields = Object.entries(value).map(([name, field]) => [
    name,
    replaceEmpty(field, `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, replace),
  ])
  return Object.fromEntries(fields)
}
