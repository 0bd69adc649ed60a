import type { PageElement, PageGlobals, Rectangle } from './dom.ts'

// Runs in the page, in a world of our own (`steps/world.ts`): scripts of the page cannot change what these functions use.

export interface Field extends PageElement {
  value?: string
  matches(selector: string): boolean
  focus(): void
  select?(): void
  dispatchEvent(event: unknown): void
  getClientRects(): Iterable<Rectangle>
  checkVisibility(options: { visibilityProperty: boolean }): boolean
  scrollIntoView(how: { block: string; inline: string; behavior: string }): void
  closest(selector: string): { readonly control?: unknown } | null
}

interface Root {
  elementFromPoint(x: number, y: number): Field | null
}

interface Press {
  readonly type: string
  composedPath(): Iterable<unknown>
  preventDefault(): void
  stopImmediatePropagation(): void
}

interface World extends PageGlobals {
  readonly scrollX: number
  readonly innerWidth: number
  readonly document: PageGlobals['document'] & Root
  readonly origin: string
  readonly Element: { readonly prototype: Field; new (): Field }
  addEventListener(name: string, hear: (press: Press) => void, capture: true): void
  removeEventListener(name: string, hear: (press: Press) => void, capture: true): void
  /** Ours, while a click is under way: ends it, and returns whether something else would have been clicked. */
  proofsheetEndClick?: (() => boolean) | undefined
}

/** Why an element cannot be used, or that it can. */
export type State =
  | ('invalid' | 'missing' | 'hidden' | 'disabled' | 'covered' | 'not_a_field' | 'silent')
  | ('readable' | 'elsewhere')
  | 'ready'

export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface Aimed {
  readonly state: State
  readonly x: number
  readonly y: number
}

export type Find = (selector: string) => { state: State; element?: Field }

/** The first visible element, if one is visible. It is given to all other functions of this file. */
export function find(selector: string): { state: State; element?: Field } {
  const page = globalThis as unknown as World
  let all: Field[]
  try {
    all = [...page.document.querySelectorAll(selector)] as Field[]
  } catch (error) {
    if ((error as Error).name !== 'SyntaxError') throw error
    return { state: 'invalid' }
  }
  const element = all.find((each) => {
    const { width, height } = each.getBoundingClientRect()
    return width > 0 && height > 0 && each.checkVisibility({ visibilityProperty: true })
  })
  return element ? { state: 'ready', element } : { state: all.length > 0 ? 'hidden' : 'missing' }
}

/** Whether an element is visible, and its box in the page. */
export function look(find: Find, selector: string): { state: State; box?: Box } {
  const page = globalThis as unknown as World
  const { state, element } = find(selector)
  if (!element) return { state }
  const { left, top, width, height } = element.getBoundingClientRect()
  return { state, box: { x: left + page.scrollX, y: top + page.scrollY, width, height } }
}

/**
 * Where to click on an element. It is scrolled into view if that is necessary. `origins`: where the document may be. Until `endClick`,
 * nothing else can be clicked: the page may move before the click comes.
 */
export async function aim(find: Find, selector: string, origins?: readonly string[]): Promise<Aimed> {
  const page = globalThis as unknown as World
  if (origins && !origins.includes(page.origin)) return { state: 'elsewhere', x: 0, y: 0 }
  const frame = () => new Promise((resolve) => page.requestAnimationFrame(resolve))
  const { state, element } = find(selector)
  if (!element) return { state, x: 0, y: 0 }
  if (element.matches(':disabled')) return { state: 'disabled', x: 0, y: 0 }
  /** The middle of its first box: a link may have one box on each line. */
  const middle = () => {
    const boxes = [...element.getClientRects()].filter(({ width, height }) => width > 0 && height > 0)
    const { left, top, width, height } = boxes[0] ?? element.getBoundingClientRect()
    return { x: left + width / 2, y: top + height / 2 }
  }
  const isHit = ({ x, y }: { x: number; y: number }) => {
    let hit = page.document.elementFromPoint(x, y)
    for (let root = hit?.shadowRoot; root && hit; root = hit.shadowRoot) {
      const inner = (root as unknown as Root).elementFromPoint(x, y)
      if (!inner || inner === hit) break
      hit = inner
    }
    if (hit?.closest('label')?.control === element) return true
    type Knot = { parentNode?: Knot; host?: Knot }
    for (let knot = hit as Knot | undefined | null; knot; knot = knot.parentNode ?? knot.host) {
      if ((knot as unknown) === element) return true
    }
    return false
  }
  if (!isHit(middle())) element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })
  await frame()
  const at = middle()
  await frame()
  // It may be moving: the place must still be on it a frame later.
  await frame()
  if (!isHit(at)) return { state: 'covered', ...at }
  page.proofsheetEndClick?.()
  let isMissed = false
  const hear = (press: Press) => {
    if (press.type === 'pointerdown' || press.type === 'mousedown') {
      const hit = [...press.composedPath()].filter((each) => each instanceof page.Element)
      // The page may replace an element when the mouse comes.
      const isAimed = hit.some((each) => each === element || each.matches(selector))
      if (!isAimed && hit[0]?.closest('label')?.control !== element) isMissed = true
    }
    if (!isMissed) return
    press.preventDefault()
    press.stopImmediatePropagation()
  }
  const names = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click']
  for (const name of names) page.addEventListener(name, hear, true)
  page.proofsheetEndClick = () => {
    for (const name of names) page.removeEventListener(name, hear, true)
    page.proofsheetEndClick = undefined
    return isMissed
  }
  return { state: 'ready', ...at }
}

/** After the click. Whether something else would have been clicked. */
export function endClick(): boolean {
  return (globalThis as unknown as World).proofsheetEndClick?.() ?? false
}

/** Scrolls to an element and back, so that everything in it is loaded. Boxes around it that scroll stay where it is seen. */
export async function visitElement(find: Find, selector: string): Promise<void> {
  const page = globalThis as unknown as World & {
    scrollTo(place: { top: number; left: number; behavior: 'instant' }): void
  }
  const { element } = find(selector)
  if (!element) return
  const { left, top, right, bottom } = element.getBoundingClientRect()
  const { scrollX, scrollY } = page
  const isInWindow = left >= 0 && top >= 0 && right <= page.innerWidth && bottom <= page.innerHeight
  const where = isInWindow ? 'nearest' : 'center'
  element.scrollIntoView({ block: where, inline: where, behavior: 'instant' })
  if (page.scrollX === scrollX && page.scrollY === scrollY) return
  // Scripts get the event with the first frame; their changes are drawn with the second.
  for (let frames = 0; frames < 2; frames++) {
    await new Promise((resolve) => page.requestAnimationFrame(resolve))
  }
  page.scrollTo({ left: scrollX, top: scrollY, behavior: 'instant' })
}
