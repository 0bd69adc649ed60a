import type { ScreenshotRequest } from '../screenshot-request.ts'
import { conceal, type Secrets } from './secrets.ts'

type Given = Pick<ScreenshotRequest, 'screenshotParameter' | 'urls'>

/**
 * Takes the secrets out of a request that is kept: of a template or a schedule. Secrets by the JSON pointer of their place;
 * `fillIn` of `ask-again.ts` puts them back. None: undefined.
 */
export function concealRequest<T extends Given>(request: T): { request: T; secrets?: Secrets } {
  const found: Record<string, string> = {}
  const at = <O extends object>(place: string, options: O): O => {
    const { options: concealed, secrets = {} } = conceal(options)
    for (const [pointer, text] of Object.entries(secrets)) found[place + pointer] = text
    return concealed
  }
  const concealed = {
    ...request,
    screenshotParameter: at('/screenshotParameter', request.screenshotParameter),
    urls: request.urls.map((page, index) => at(`/urls/${index}`, page)),
  }
  return Object.keys(found).length > 0 ? { request: concealed, secrets: found } : { request: concealed }
}
