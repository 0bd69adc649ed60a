import { createContext } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import { type Place, readPlace } from './addresses.ts'

/** Kept with each entry of the history, so that going back leads to where one was. */
interface Entry {
  readonly scroll?: number
  /** It was come to from another place of ours: there is a way back. */
  readonly within?: true
}

const ARRIVED = 'proofsheet:arrived'

export function go(address: string, { replace = false } = {}): void {
  if (replace) {
    history.replaceState(history.state, '', address)
  } else {
    remember()
    history.pushState({ within: true } satisfies Entry, '', address)
  }
  window.dispatchEvent(new Event(ARRIVED))
}

/** Out of what was opened in a place, to the place itself: back where one came from it, else forward. */
export function leaveTo(address: string): void {
  if ((history.state as Entry | null)?.within) history.back()
  else go(address, { replace: true })
}

function remember(): void {
  history.replaceState({ ...history.state, scroll: window.scrollY } satisfies Entry, '')
}

export const PlaceContext = createContext<Place>({ view: 'nothing' })
export const usePlace = (): Place => useContext(PlaceContext)

/** Follows the address bar, and takes over clicks on links of ours. */
export function useNavigation(): Place {
  const [place, setPlace] = useState(() => readPlace(location))
  useEffect(() => {
    history.scrollRestoration = 'manual'
    const arrive = () => setPlace(readPlace(location))
    window.addEventListener('popstate', arrive)
    window.addEventListener(ARRIVED, arrive)
    window.addEventListener('pagehide', remember)
    document.addEventListener('click', followLink)
    return () => {
      window.removeEventListener('popstate', arrive)
      window.removeEventListener(ARRIVED, arrive)
      window.removeEventListener('pagehide', remember)
      document.removeEventListener('click', followLink)
    }
  }, [])
  return place
}

/** How long lists may take to grow to where one was. */
const GROWING_MS = 3_000

/** Leads to where this entry of the history was left, as soon as the page is that long, unless someone scrolls. */
export function keepScroll(): () => void {
  const target = (history.state as Entry | null)?.scroll ?? 0
  const end = performance.now() + GROWING_MS
  let frame = 0
  const stop = () => cancelAnimationFrame(frame)
  const look = () => {
    window.scrollTo(0, target)
    if (Math.abs(window.scrollY - target) > 1 && performance.now() < end) frame = requestAnimationFrame(look)
  }
  look()
  for (const event of ['wheel', 'touchstart', 'keydown', 'pointerdown']) {
    window.addEventListener(event, stop, { once: true, passive: true })
  }
  return stop
}

/** Whatever opens elsewhere, or means more than going there, is the browser's. */
function followLink(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest('a') : null
  const elsewhere = event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey
  if (!link || elsewhere || event.defaultPrevented) return
  if (link.origin !== location.origin || link.target !== '' || link.hasAttribute('download')) return
  if (readPlace(link).view === 'nothing') return
  event.preventDefault()
  go(link.href)
}
