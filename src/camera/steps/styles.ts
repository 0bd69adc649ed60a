import type { PageOptions } from '../../contract/capture-options.ts'
import type { Note } from '../../contract/seen.ts'
import { findUnhidden, type Styles, wear } from '../in-page/wear.ts'
import { sayWhy, show, toCss } from './selector.ts'
import type { World } from './world.ts'

/** The styles that were asked for, if any. */
export function stylesOf({ css = '', hide = [] }: PageOptions): Styles | undefined {
  return css === '' && hide.length === 0 ? undefined : { css, hidden: hide.map(toCss) }
}

/** All documents of the page get the styles from now on. */
export async function addStyles(world: World, styles: Styles): Promise<void> {
  await world.inEveryDocument(wear, styles)
}

/** Adds them again if the page has thrown them out. */
export async function keepStyles(world: World, styles: Styles): Promise<void> {
  await world.ask(wear, styles)
}

/** A note for each element that was not there to be hidden. */
export async function noteUnhidden(world: World, hide: readonly string[]): Promise<Note[]> {
  const states = await world.ask(findUnhidden, hide.map(toCss))
  return hide.flatMap((selector, index) => {
    const state = states[index] ?? 'hidden'
    return state === 'hidden'
      ? []
      : [{ note: 'hide', detail: `${show(selector)} was not hidden. ${sayWhy(selector, state)}` } as const]
  })
}
