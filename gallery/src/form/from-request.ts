import { type AskedAgain, placesOfSecrets } from '../../../src/contract/ask-again.ts'
import { DEVICES, type Device } from '../../../src/contract/options/devices.ts'
import { PLAIN, PLAIN_NAMES, type PlainName } from '../../../src/contract/options/plain.ts'
import { defaultName, readPageLines } from '../../../src/contract/page-lines.ts'
import { DEFAULT_LOADING_TIME } from '../../../src/contract/results.ts'
import type { ScreenshotRequest } from '../../../src/contract/screenshot-request.ts'
import type { TemplateRequest } from '../../../src/contract/templates.ts'
import { type Draft, type EffectDraft, NOTHING, type OtherSize, type Page } from './draft.ts'
import { writeColor } from './effects.ts'
import { sizeName } from './sizes.ts'

type Parameter = ScreenshotRequest['screenshotParameter']
interface Window {
  readonly width: number
  readonly height: number
}

/** The form for a request that is asked again. Its secrets are empty. */
export function fromRequest({ request, secrets }: AskedAgain): Draft {
  const { screenshotParameter: parameter, urls, failOn } = request
  const { width = 0, height = 0 } = parameter
  const windows = windowsOf(urls, { width, height })
  const own = windows ? [] : urls.map((page) => ({ ...page, ...asRead(page) }))
  const [loadingTime] = windows ? urls.map((page) => page.loadingTime) : []
  return {
    ...NOTHING,
    ...optionsOf(parameter),
    ...sizesFor(windows ?? [{ width, height }], parameter.device),
    addresses: [...new Set(urls.map(toLine))].join('\n'),
    loadingTime: loadingTime === DEFAULT_LOADING_TIME ? '' : textOf(loadingTime),
    failOnStatus: failOn === 'status',
    own,
    ownSecrets: Object.fromEntries(
      secrets.filter((place) => place.startsWith('/urls/')).map((place) => [place, '']),
    ),
  }
}

/** The form of a template. Its secrets are empty, and are kept if they stay so. */
export function fromTemplate(template: TemplateRequest): Draft {
  const { name, failOn, urls, otherPages = false } = template
  const { sizes, ...parameter } = template.screenshotParameter
  const [width, height] = parameter.device ? DEVICES[parameter.device] : []
  const window = sizes?.[0] ?? { ...(width && { width }), ...(height && { height }) }
  const request = { screenshotParameter: { ...window, ...parameter }, urls, ...(failOn && { failOn }) }
  return {
    ...fromRequest({ request, secrets: placesOfSecrets(request) }),
    ...(sizes && sizesFor(sizes, undefined)),
    ...{ templateName: name, otherPages },
  }
}

function optionsOf(parameter: Parameter) {
  const { css = '', device = '', area = '', style = '', tags = [], hide = [] } = parameter
  const { clicks = [], headers = {}, cookies = [], effects = [], loginParameter: login } = parameter
  return {
    ...Object.fromEntries(PLAIN_NAMES.map((name) => [name, plainDraft(name, parameter[name])])),
    ...{ css, device, area, style },
    tags: tags.join(', '),
    hide: hide.join('\n'),
    clicks: clicks.map(({ elementId, loadingTime }) => ({ elementId, loadingTime: textOf(loadingTime) })),
    headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
    cookies: [...cookies],
    effects: effects.map(toDraft),
    ...(login && {
      login: {
        usernameField: login.username.elementId,
        username: login.username.username,
        passwordField: login.password.elementId,
        password: login.password.password,
        button: login.loginButton.elementId,
        origins: (login.origins ?? []).join(' '),
      },
    }),
  }
}

function plainDraft(name: PlainName, value: unknown): string | boolean {
  return PLAIN[name].kind === 'switch' ? value !== undefined && value !== false : textOf(value)
}

function toDraft({ effect, options = {} }: NonNullable<Parameter['effects']>[number]): EffectDraft {
  const texts = Object.entries(options).map(([name, value]) => [
    name,
    typeof value === 'object' ? writeColor(value) : textOf(value),
  ])
  return { effect, options: Object.fromEntries(texts) }
}

/** The windows of every page, if all have the same ones and nothing else of their own. */
function windowsOf(pages: readonly Page[], window: Window): Window[] | undefined {
  const byAddress = Map.groupBy(pages, toLine)
  const windows = [...byAddress.values()].map((same) =>
    same.map(({ width = window.width, height = window.height }) => ({ width, height })),
  )
  const isPlain = ({ url: _u, name: _n, loadingTime: _l, width: _w, height: _h, ...own }: Page) =>
    Object.keys(own).length === 0
  const isSame = (values: readonly unknown[]) => new Set(values.map((each) => JSON.stringify(each))).size <= 1
  const areAlike = isSame(windows) && isSame(pages.map(({ loadingTime }) => loadingTime))
  return areAlike && pages.every(isPlain) && !areTwice(windows[0]) ? windows[0] : undefined
}

/** The same page twice in one window cannot be said with sizes. */
function areTwice(windows: readonly Window[] = []): boolean {
  return new Set(windows.map(({ width, height }) => `${width}x${height}`)).size < windows.length
}

function sizesFor(
  windows: readonly Window[],
  device: Device | undefined,
): Pick<Draft, 'sizes' | 'otherSizes'> {
  const [width, height] = device ? DEVICES[device] : []
  if (windows.length === 1 && windows[0]?.width === width && windows[0]?.height === height) {
    return { sizes: [], otherSizes: [] }
  }
  const others: OtherSize[] = windows
    .filter((window) => sizeName(window) === undefined)
    .map((window) => ({ width: `${window.width}`, height: `${window.height}` }))
  return { sizes: windows.flatMap((window) => sizeName(window) ?? []), otherSizes: others }
}

/**
 * The page as a line of the form. Its name is left out if the form would give it the same one. Spaces and commas that the
 * form would misunderstand are written in another way.
 */
function toLine({ url, name }: Page): string {
  const plain = name.replaceAll(/\s+/g, ' ').trim()
  const line = plain === defaultName(url) ? url : `${url} ${plain}`
  const [read, ...others] = readPageLines(line)
  if (read?.url === url && read.name === plain && others.length === 0) return line
  return `${url.replaceAll(/[\s,]/g, encodeURIComponent)} ${plain.replaceAll(',', ' ').trim()}`
}

/** The address and the name, as the form reads them in the line of the page. */
function asRead(page: Page): Pick<Page, 'url' | 'name'> {
  const [{ url, name } = page] = readPageLines(toLine(page))
  return { url, name }
}

function textOf(value: unknown): string {
  return value === undefined ? '' : `${value}`
}
