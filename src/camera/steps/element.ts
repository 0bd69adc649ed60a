import type { CDPSession, Page } from 'playwright-core'
import type { Size } from '../../contract/picture-sizes.ts'
import { CaptureFailure, type PageToShoot } from '../camera.ts'
import { type Exposed, type ExposeRules, exposePart, highest } from '../expose.ts'
import { look, type State, visitElement } from '../in-page/elements.ts'
import { hold } from '../rest.ts'
import { inWholePixels, type Part, readLayout, windowOf } from '../window.ts'
import { sayWhy, toCss } from './selector.ts'
import { doOnce, type Stage, tryHard } from './stage.ts'
import type { World } from './world.ts'

/** Edges that are so near to a pixel are on it. */
const NEAR = 0.01

/** Waits until the element is there, and loads what is in it. */
export async function prepareElement(stage: Stage, selector: string): Promise<void> {
  const { world } = stage
  const { state } = await tryHard(stage, () => world.ask(look, toCss(selector)))
  if (state !== 'ready') throw notThere(selector, state)
  await doOnce(stage, () => world.ask(visitElement, toCss(selector)))
}

/** The picture of the box of an element, wherever it is in the page. */
export async function exposeElement(
  page: Page,
  session: CDPSession,
  selector: string,
  wanted: PageToShoot,
  { world, ...rules }: ExposeRules & { world: World },
): Promise<Exposed> {
  const { limits } = rules
  await hold(page)
  const { state, box } = await world.ask(look, toCss(selector))
  if (!box) throw notThere(selector, state)
  const { zoom, start, ...content } = await readLayout(session)
  const { width, height, scale } = windowOf(wanted.options)
  const touched = partOf(
    { ...box, x: box.x + start },
    {
      width: Math.max(width / zoom, content.width),
      height: Math.max(height / zoom, content.height),
    },
  )
  if (touched.width < 1 || touched.height < 1) throw notThere(selector, 'hidden')
  const whole = zoomed(touched, zoom)
  const within = (length: number, most: number) => (length > most ? inWholePixels(most, zoom) : length)
  const columns = within(whole.width, Math.floor(limits.height / scale))
  const rows = within(whole.height, highest(limits, { width: columns, scale }))
  const part = { ...whole, width: columns, height: rows }
  return {
    bytes: await exposePart(session, { ...part, scale, zoom }, wanted, { ...rules, seen: 0 }),
    cut: part.height < whole.height,
    wide: part.width < whole.width && 'right',
  }
}

function zoomed({ x, y, width, height }: Required<Part>, zoom: number): Required<Part> {
  return { x: x * zoom, y: y * zoom, width: width * zoom, height: height * zoom }
}

/** The pixels of the page that a box touches. */
function partOf(box: Required<Part>, page: Size): Required<Part> {
  const x = Math.max(0, Math.floor(box.x + NEAR))
  const y = Math.max(0, Math.floor(box.y + NEAR))
  const right = Math.min(Math.round(page.width), Math.ceil(box.x + box.width - NEAR))
  const bottom = Math.min(Math.round(page.height), Math.ceil(box.y + box.height - NEAR))
  return { x, y, width: right - x, height: bottom - y }
}

function notThere(selector: string, state: State): CaptureFailure {
  const why = state === 'hidden' ? ' It has no size, is hidden, or is outside the page.' : ''
  return new CaptureFailure('element', `${sayWhy(selector, state)}${why}`)
}
