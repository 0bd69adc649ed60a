import { parseId } from '../../src/contract/ids.ts'
import { MARK_NAMES, type Mark } from '../../src/contract/seen.ts'
import { ROOT_STATES, type RootState } from '../../src/contract/states.ts'

/** Which roots a list shows. An empty field filters nothing. */
export interface Filters {
  readonly q: string
  readonly tag: string
  /** The id of a template. */
  readonly template: string
  readonly state: readonly RootState[]
  readonly mark: Mark | ''
  /** The first day, as `2026-03-01`. */
  readonly from: string
  /** The last day, included. */
  readonly to: string
}

export const NO_FILTERS: Filters = { q: '', tag: '', template: '', state: [], mark: '', from: '', to: '' }

/** Values that are not valid are ignored. */
export function readFilters(parameters: URLSearchParams): Filters {
  const get = (name: string) => parameters.get(name) ?? ''
  const day = (name: string) => (startOf(get(name)) === undefined ? '' : get(name))
  const states = parameters.getAll('state')
  return {
    q: get('q'),
    tag: get('tag'),
    template: parseId(get('template')) ?? '',
    state: ROOT_STATES.filter((state) => states.includes(state)),
    mark: MARK_NAMES.find((mark) => mark === get('mark')) ?? '',
    from: day('from'),
    to: day('to'),
  }
}

/** The parameters for the service. */
export function toOptions({ q, tag, template, state, mark, from, to }: Filters) {
  const [first, end] = [startOf(from), startOf(to, 1)]
  return {
    ...(q && { q }),
    ...(tag && { tag }),
    ...(template && { template }),
    ...(state.length > 0 && { state }),
    ...(mark && { mark }),
    ...(first !== undefined && { from: first }),
    ...(end !== undefined && { to: end }),
  }
}

/** When a day begins in the local time zone, or the day `daysLater` days after it. Undefined if it is not a day. */
export function startOf(text: string, daysLater = 0): number | undefined {
  const [, year = '', month = '', day = ''] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []
  const begin = new Date(Number(year), Number(month) - 1, Number(day))
  // A year before 1970, or the 31st of a month with 30 days.
  if (Number(year) < 1971 || begin.getMonth() !== Number(month) - 1) return undefined
  return begin.setDate(begin.getDate() + daysLater)
}
