import type { CaptureOptions } from '../../contract/capture-options.ts'
import { type Aimed, aim, endClick, type State } from '../in-page/elements.ts'
import { before } from '../patience.ts'
import { sayWhy, show, toCss } from './selector.ts'
import { begin, type Stage, settle, settleAfterClick, tryUntil } from './stage.ts'

/** The browser may not answer for a click that ends the document. */
const CLICK_MS = 1_000
/** Also if the loading time is over, an element that is there is clicked. */
const LEAST_MS = 100
/** An element that moves when the mouse comes is aimed at again. */
const MISSES = 3

type Clicks = NonNullable<CaptureOptions['clicks']>

/** Clicks one element after the other. Adds a note for each that cannot be clicked. */
export async function clickAll(stage: Stage, clicks: Clicks): Promise<void> {
  // Elements that are there already may not listen yet.
  await settle(stage)
  for (const [index, { elementId, loadingTime }] of clicks.entries()) {
    const end = Math.max(stage.time.share(clicks.length - index), performance.now() + LEAST_MS)
    begin(stage, `clicks, ${show(elementId)}`)
    const state = await click(stage, elementId, (aim) => tryUntil(stage, end, aim))
    if (state !== 'ready') {
      stage.notes.push({
        note: 'click',
        detail: `${show(elementId)} was not clicked. ${sayWhy(elementId, state)}`,
      })
    } else if (loadingTime === undefined) await settleAfterClick(stage)
    else await stage.time.wait(loadingTime, stage.signal)
  }
}

/** Clicks as a visitor does, with the mouse, when the element is there. */
export async function click(
  { world, session }: Stage,
  selector: string,
  attempt: (work: () => Promise<Aimed>) => Promise<Aimed | { readonly state: State }>,
  origins?: readonly string[],
): Promise<State> {
  const send = (type: 'mouseMoved' | 'mousePressed' | 'mouseReleased', { x, y }: Aimed) =>
    session.send('Input.dispatchMouseEvent', {
      ...{ type, x, y, clickCount: 1 },
      button: type === 'mouseMoved' ? 'none' : 'left',
    })
  /** False if the browser does not say. */
  const hasMissed = async (aimed: Aimed) => {
    const sent = ['mouseMoved', 'mousePressed', 'mouseReleased'] as const
    const isSent = await before(performance.now() + CLICK_MS, () =>
      Promise.allSettled(sent.map((type) => send(type, aimed))),
    )
    if (!isSent) return false
    const isMissed = before(performance.now() + CLICK_MS, () => world.ask(endClick))
    return (await isMissed.catch(() => false)) ?? false
  }
  for (let misses = 0; misses < MISSES; misses++) {
    const aimed = await attempt(() => world.ask(aim, toCss(selector), origins))
    if (aimed.state !== 'ready' || !('x' in aimed)) return aimed.state
    if (!(await hasMissed(aimed))) return 'ready'
  }
  return 'covered'
}
