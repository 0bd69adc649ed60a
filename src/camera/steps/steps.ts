import type { PageOptions } from '../../contract/capture-options.ts'
import type { Note } from '../../contract/seen.ts'
import { before } from '../patience.ts'
import { clickAll } from './click.ts'
import { declineBanners } from './cookie-banners.ts'
import { prepareElement } from './element.ts'
import { logIn } from './login.ts'
import type { LoginRequests } from './login-requests.ts'
import { show } from './selector.ts'
import { begin, doOnce, type Stage } from './stage.ts'
import { addStyles, keepStyles, noteUnhidden, stylesOf } from './styles.ts'
import { waitFor } from './wait-for.ts'

const STEPS = [
  'loginParameter',
  'css',
  'hide',
  'cookieBanners',
  'clicks',
  'waitFor',
  'delay',
  'element',
] as const

/** The picture is taken: it is not given up for a note. */
const NOTES_MS = 4_000
const NOT_LOOKED: Note = {
  note: 'hide',
  detail:
    'The page did not answer when it was asked whether everything was hidden. A selector may take the browser too long.',
}

export function hasSteps(options: PageOptions): boolean {
  return STEPS.some((name) => options[name] !== undefined)
}

/** The waits that were asked for. The page has so much more time. */
export function waitsOf({ clicks = [], delay = 0 }: PageOptions): number {
  return clicks.reduce((sum, { loadingTime = 0 }) => sum + loadingTime, delay)
}

/** Before the page is opened. The form of a login is shown without added styles. */
export async function prepareSteps({ world, wanted: { options } }: Stage): Promise<void> {
  const styles = stylesOf(options)
  if (styles && !options.loginParameter) await addStyles(world, styles)
}

/** Everything that happens between opening the page and its picture, in this order. A login is watched until the picture is taken. */
export async function runSteps(stage: Stage): Promise<LoginRequests | undefined> {
  const { world, time, signal } = stage
  const { options } = stage.wanted
  const styles = stylesOf(options)
  if (options.loginParameter) begin(stage, 'loginParameter')
  const requests = options.loginParameter && (await logIn(stage, options.loginParameter))
  if (requests && styles) await doOnce(stage, () => addStyles(world, styles))
  if (options.cookieBanners) await declineBanners(stage)
  if (options.clicks) await clickAll(stage, options.clicks)
  if (options.waitFor) {
    begin(stage, `waitFor, ${show(options.waitFor)}`)
    await waitFor(stage, options.waitFor)
  }
  if (options.delay) await time.wait(options.delay, signal)
  if (options.element) {
    begin(stage, `element, ${show(options.element)}`)
    await prepareElement(stage, options.element)
  }
  if (styles) {
    begin(stage, stylesNamed(options))
    await doOnce(stage, () => keepStyles(world, styles))
  }
  return requests
}

function stylesNamed({ css, hide }: PageOptions): string {
  return [css !== undefined && 'css', hide !== undefined && 'hide'].filter(Boolean).join(' and ')
}

/** What did not work, when the picture was taken. */
export async function notesOf({ world, notes, wanted }: Stage): Promise<Note[]> {
  const { hide } = wanted.options
  if (!hide) return notes
  const unhidden = await before(performance.now() + NOTES_MS, () => noteUnhidden(world, hide))
  return [...notes, ...(unhidden ?? [NOT_LOOKED])]
}
