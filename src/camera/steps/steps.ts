import type { PageOptions } from '../../contract/capture-options.ts'
import type { Note } from '../../contract/seen.ts'
import { declineBanner, NO_TIME } from '../banner/banner.ts'
import { CaptureFailure } from '../camera.ts'
import { look } from '../in-page/elements.ts'
import { findUnhidden, type Styles, wear } from '../in-page/wear.ts'
import { whenLoaded } from '../loading.ts'
import { before, whereverItGoes } from '../patience.ts'
import { clickAll } from './click.ts'
import { prepareElement } from './element.ts'
import { logIn } from './login.ts'
import type { LoginRequests } from './login-requests.ts'
import { sayWhy, show, toCss } from './selector.ts'
import { begin, doOnce, type Stage, tryHard } from './stage.ts'
import type { World } from './world.ts'

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
  if (styles && !options.loginParameter) await world.inEveryDocument(wear, styles)
}

/** Everything that happens between opening the page and its picture, in this order. A login is watched until the picture is taken. */
export async function runSteps(stage: Stage): Promise<LoginRequests | undefined> {
  const { world, time, signal } = stage
  const { options } = stage.wanted
  const styles = stylesOf(options)
  if (options.loginParameter) begin(stage, 'loginParameter')
  const requests = options.loginParameter && (await logIn(stage, options.loginParameter))
  if (requests && styles) await doOnce(stage, () => world.inEveryDocument(wear, styles))
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
    begin(stage, (['css', 'hide'] as const).filter((name) => options[name] !== undefined).join(' and '))
    // Added again if the page has thrown them out.
    await doOnce(stage, () => world.ask(wear, styles))
  }
  return requests
}

/** Notes on steps that did not work, when the picture was taken. */
export async function notesOf({ world, notes, wanted }: Stage): Promise<Note[]> {
  const { hide } = wanted.options
  if (!hide) return notes
  const unhidden = await before(performance.now() + NOTES_MS, () => noteUnhidden(world, hide))
  return [...notes, ...(unhidden ?? [NOT_LOOKED])]
}

/** Declines a banner that asks for consent, when the page has loaded. Adds a note if that does not work. */
async function declineBanners({ page, session, network, visit, time, notes }: Stage): Promise<void> {
  const decline = async (over: AbortSignal): Promise<Note[]> => {
    const loaded = await whenLoaded(page, session, network, { visit, unveilTo: undefined, signal: over })
    await loaded.complete()
    return await declineBanner(page, over)
  }
  notes.push(...((await before(time.end, (over) => whereverItGoes(decline, over))) ?? [NO_TIME]))
}

async function waitFor(stage: Stage, selector: string): Promise<void> {
  const { world, wanted } = stage
  const { state } = await tryHard(stage, () => world.ask(look, toCss(selector)))
  if (state === 'ready') return
  throw new CaptureFailure(
    'wait_for',
    state === 'invalid'
      ? sayWhy(selector, state)
      : `${show(selector)} did not become visible within the loading time of ${wanted.loadingTime} ms. ${sayWhy(selector, state)}`,
  )
}

function stylesOf({ css = '', hide = [] }: PageOptions): Styles | undefined {
  return css === '' && hide.length === 0 ? undefined : { css, hidden: hide.map(toCss) }
}

async function noteUnhidden(world: World, hide: readonly string[]): Promise<Note[]> {
  const states = await world.ask(findUnhidden, hide.map(toCss))
  return hide.flatMap((selector, index) => {
    const state = states[index] ?? 'hidden'
    return state === 'hidden'
      ? []
      : [{ note: 'hide', detail: `${show(selector)} was not hidden. ${sayWhy(selector, state)}` } as const]
  })
}
