import type { View } from '../../../src/contract/capture-options.ts'
import type { RootStatus } from '../../../src/contract/status.ts'
import { askedFor, windowsName } from '../asked.ts'

/** The options of a request, in words. The view is known before the status. */
export function Asked({ view, status }: { view: View; status: RootStatus | undefined }) {
  const options = status?.options ?? view
  const own = status?.urls.map((page) => page.options ?? {}) ?? []
  const windows = own.map(({ width, height, fullPage }) => ({
    width: width ?? options.width,
    height: height ?? options.height,
    fullPage: fullPage ?? options.fullPage,
  }))
  const different = own.some(({ width: _w, height: _h, ...others }) => Object.keys(others).length > 0)
  const words = [
    windowsName(windows.length > 0 ? windows : [options]),
    ...askedFor(options),
    ...(different ? ['some pages with their own options'] : []),
  ]
  return (
    <ul class="asked" aria-label="Options of the request">
      {words.map((each) => (
        <li key={each} dir="auto">
          {each}
        </li>
      ))}
    </ul>
  )
}
