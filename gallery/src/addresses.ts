import { type Filters, readFilters } from './filters.ts'
import { BASE } from './session.ts'

/** A route: the view that the address bar names, and its parameters. */
export type Route =
  | { readonly view: 'projects' }
  /** `to`: the page of the service that is opened afterwards. */
  | { readonly view: 'sign-in'; readonly to: '' | (typeof BEHIND_SIGN_IN)[number] }
  | { readonly view: 'admin' }
  | { readonly view: 'roots'; readonly projectId: string; readonly filters: Filters }
  | { readonly view: 'pages'; readonly projectId: string; readonly q: string }
  | { readonly view: 'capture'; readonly projectId: string }
  | { readonly view: 'templates'; readonly projectId: string }
  /** Without an id: a new one. */
  | { readonly view: 'template'; readonly projectId: string; readonly templateId: string }
  | { readonly view: 'schedules'; readonly projectId: string }
  | { readonly view: 'schedule'; readonly projectId: string; readonly scheduleId: string }
  | { readonly view: 'webhooks'; readonly projectId: string }
  | { readonly view: 'webhook'; readonly projectId: string; readonly webhookId: string }
  | {
      readonly view: 'root'
      readonly projectId: string
      readonly rootId: string
      /** The picture that is open. */
      readonly picture: string
    }
  | {
      readonly view: 'history'
      readonly projectId: string
      readonly url: string
      readonly before: string
      readonly after: string
      /** The series of pictures. Empty: that of the named pictures, or of the newest one. */
      readonly series: string
      readonly compare: Comparison
    }
  | { readonly view: 'nothing' }

/** Pages of the service, but not of the gallery, that need a session. */
const BEHIND_SIGN_IN = ['docs', 'openapi.json'] as const

export const COMPARISONS = ['slider', 'difference', 'beside'] as const
export type Comparison = (typeof COMPARISONS)[number]

export const toProjects = (): string => `${BASE}/`

/** The keys of this device, and a form to sign in. */
export const toSignIn = (): string => `${BASE}/sign-in`

/** Projects and keys, for administrators. */
export const toAdmin = (): string => `${BASE}/admin`

export function toRoots(projectId: string, filters: Partial<Filters> = {}): string {
  const { q = '', tag = '', template = '', state = [], mark = '', from = '', to = '' } = filters
  return `${BASE}/projects/${projectId}${query({ q, tag, template, state, mark, from, to })}`
}

export function toRoot(projectId: string, rootId: string, picture = ''): string {
  return `${BASE}/projects/${projectId}/roots/${rootId}${query({ picture })}`
}

export function toPages(projectId: string, q = ''): string {
  return `${BASE}/projects/${projectId}/pages${query({ q })}`
}

export function toHistory(
  projectId: string,
  url: string,
  {
    before = '',
    after = '',
    series = '',
    compare = '',
  }: { before?: string; after?: string; series?: string; compare?: string } = {},
): string {
  const shown = compare === COMPARISONS[0] ? '' : compare
  return `${BASE}/projects/${projectId}/pages/history${query({ url, series, before, after, compare: shown })}`
}

export function toCapture(projectId: string): string {
  return `${BASE}/projects/${projectId}/capture`
}

export function toTemplates(projectId: string): string {
  return `${BASE}/projects/${projectId}/templates`
}

/** The form of a template, or of a new one. */
export function toTemplate(projectId: string, templateId = 'new'): string {
  return `${toTemplates(projectId)}/${templateId}`
}

export function toSchedules(projectId: string): string {
  return `${BASE}/projects/${projectId}/schedules`
}

/** The form of a schedule, or of a new one. */
export function toSchedule(projectId: string, scheduleId = 'new'): string {
  return `${toSchedules(projectId)}/${scheduleId}`
}

export function toWebhooks(projectId: string): string {
  return `${BASE}/projects/${projectId}/webhooks`
}

/** The page of a webhook, or the form of a new one. */
export function toWebhook(projectId: string, webhookId = 'new'): string {
  return `${toWebhooks(projectId)}/${webhookId}`
}

/** Empty values are left out. */
function query(values: Readonly<Record<string, string | readonly string[]>>): string {
  const given = Object.entries(values)
    .flatMap(([name, value]) => [value].flat().map((each) => [name, each]))
    .filter(([, value]) => value !== '')
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}

/** Parts of a project that have a page for each of their ids. */
const WITH_IDS: readonly string[] = ['roots', 'templates', 'schedules', 'webhooks']

export function readRoute({ pathname, search }: Pick<URL, 'pathname' | 'search'>): Route {
  const parameters = new URLSearchParams(search)
  const get = (name: string) => parameters.get(name) ?? ''
  const [projects = '', projectId = '', part = '', detail = '', ...more] = pathname
    .slice(BASE.length + 1)
    .split('/')
  if (projects === '' && projectId === '') return { view: 'projects' }
  if (projects === 'sign-in' && projectId === '')
    return { view: 'sign-in', to: BEHIND_SIGN_IN.find((page) => page === get('to')) ?? '' }
  if (projects === 'admin' && projectId === '') return { view: 'admin' }
  if (projects !== 'projects' || projectId === '' || more.length > 0) return { view: 'nothing' }
  const id = detail === 'new' ? '' : detail
  switch (`${part}/${detail && WITH_IDS.includes(part) ? '*' : detail}`) {
    case '/':
      return { view: 'roots', projectId, filters: readFilters(parameters) }
    case 'roots/*':
      return { view: 'root', projectId, rootId: detail, picture: get('picture') }
    case 'pages/':
      return { view: 'pages', projectId, q: get('q') }
    case 'pages/history': {
      const compare = COMPARISONS.find((each) => each === get('compare')) ?? COMPARISONS[0]
      return {
        view: 'history',
        projectId,
        url: get('url'),
        before: get('before'),
        after: get('after'),
        // Older links have a width.
        series: get('series') || (get('width') && `width-${get('width')}`),
        compare,
      }
    }
    case 'templates/':
      return { view: 'templates', projectId }
    case 'templates/*':
      return { view: 'template', projectId, templateId: id }
    case 'schedules/':
      return { view: 'schedules', projectId }
    case 'schedules/*':
      return { view: 'schedule', projectId, scheduleId: id }
    case 'webhooks/':
      return { view: 'webhooks', projectId }
    case 'webhooks/*':
      return { view: 'webhook', projectId, webhookId: id }
    case 'capture/':
      return { view: 'capture', projectId }
    default:
      return { view: 'nothing' }
  }
}
