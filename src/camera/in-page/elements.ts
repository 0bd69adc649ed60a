import type { Part } from '../window.ts'

// Runs in the page, in a world of our own (`steps/world.ts`): scripts of the page cannot change what these functions use.

/** An element. Only a field has a value. */
export type Field = HTMLElement & Partial<Pick<HTMLInputElement, 'value' | 'select'>>

/** `proofsheetEndClick`: ours, while a click is under way. Ends it, and returns whether something else would have been clicked. */
type World = typeof globalThis & { proofsheetEndClick?: (() => boolean) | undefined }

export type State =
  | ('invalid' | 'missing' | 'hidden' | 'disabled' | 'covered' | 'not_a_field' | 'silent')
  | ('readable' | 'elsewhere')
  | 'ready'

export interface Answer {
  readonly state: State
}

export interface Aimed extends Answer {
  readonly x: number
  readonly y: number
}

export type Find = (selector: string) => { state: State; element?: Field }

/** The first visible element, if one is visible. It is given to all other functions of this file. */
export function find(selector: string): { state: State; element?: Field } {
  let all: Field[]
  try {
    all = [...document.querySelectorAll<Field>(selector)]
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
export function look(find: Find, selector: string): { state: State; box?: Required<Part> } {
  const { state, element } = find(selector)
  if (!element) return { state }
  const { left, top, width, height } = element.getBoundingClientRect()
  return { state, box: { x: left + globalThis.scrollX, y: top + globalThis.scrollY, width, height } }
}

/**
 * Where to click on an element. It is scrolled into view if that is necessary. `origins`: where the document may be. Until `endClick`,
 * nothing else can be clicked: the page may move before the click comes.
 */
export async function aim(find: Find, selector: string, origins?: readonly string[]): Promise<Aimed> {
  const page = globalThis as World
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
      const inner = root.elementFromPoint(x, y)
      if (!inner || inner === hit) break
      hit = inner
    }
    if (hit?.closest('label')?.control === element) return true
    for (let knot: Node | null = hit; knot; knot = knot.parentNode ?? (knot as ShadowRoot).host) {
      if (knot === element) return true
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
  const hear = (press: Event) => {
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
  return (globalThis as World).proofsheetEndClick?.() ?? false
}

/** Scrolls to an element and back, so that everything in it is loaded. Boxes around it that scroll stay where it is seen. */
export async function visitElement(find: Find, selector: string): Promise<void> {
  const page = globalThis
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
