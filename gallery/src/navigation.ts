import { useEffect, useState } from 'preact/hooks'
import { type Place, readPlace } from './addresses.ts'

/** Kept with each entry of the history, so that going back leads to where one was. */
interface Entry {
  readonly scroll?: number
  /** It was come to from another place of ours: there is a way back. */
  readonly within?: true
}

const ARRIVED = 'proofsheet:arrived'
/** How often where one is goes into the entry: nobody hears of the browser's buttons before they act. Safari allows 100 in 30 s. */
const NOTE_MS = 350

export function go(address: string, { replace = false } = {}): void {
  if (replace) {
    history.replaceState({ ...history.state, scroll: 0 } satisfies Entry, '', address)
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

/** Follows the address bar, and takes over clicks on links of ours. */
export function useNavigation(): Place {
  const [place, setPlace] = useState(() => readPlace(location))
  useEffect(() => {
    history.scrollRestoration = 'manual'
    let note: ReturnType<typeof setTimeout> | undefined
    const forget = () => {
      clearTimeout(note)
      note = undefined
    }
    const move = () => {
      note ??= setTimeout(() => {
        forget()
        remember()
      }, NOTE_MS)
    }
    const arrive = () => {
      forget()
      setPlace(readPlace(location))
    }
    window.addEventListener('scroll', move, { passive: true })
    window.addEventListener('popstate', arrive)
    window.addEventListener(ARRIVED, arrive)
    window.addEventListener('pagehide', remember)
    document.addEventListener('click', followLink)
    return () => {
      forget()
      window.removeEventListener('scroll', move)
      window.removeEventListener('popstate', arrive)
      window.removeEventListener(ARRIVED, arrive)
      window.removeEventListener('pagehide', remember)
      document.removeEventListener('click', followLink)
    }
  }, [])
  return place
}

/** How long it is waited for a list to grow further to where one was. */
const GROWING_MS = 3_000

/** Leads to where this entry of the history was left, as soon as the page is that long, unless someone scrolls. */
export function keepScroll(): () => void {
  const target = (history.state as Entry | null)?.scroll ?? 0
  let [end, height] = [0, 0]
  let frame = 0
  const listening = new AbortController()
  const stop = () => {
    cancelAnimationFrame(frame)
    listening.abort()
  }
  const look = () => {
    window.scrollTo(0, target)
    const { scrollHeight } = document.documentElement
    if (scrollHeight > height) [end, height] = [performance.now() + GROWING_MS, scrollHeight]
    if (Math.abs(window.scrollY - target) > 1 && performance.now() < end) frame = requestAnimationFrame(look)
    else stop()
  }
  for (const event of ['wheel', 'touchstart', 'keydown', 'pointerdown']) {
    window.addEventListener(event, stop, { passive: true, signal: listening.signal })
  }
  look()
  return stop
}

/** Whatever opens elsewhere, or means more than going there, is the browser's. */
function followLink(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest('a') : null
  const elsewhere = event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey
  if (!link || elsewhere || event.defaultPrevented) return
  if (link.getAttribute('href')?.startsWith('#')) {
    // With a <base>, it would lead there.
    event.preventDefault()
    document.getElementById(link.hash.slice(1))?.focus()
    return
  }
  if (link.origin !== location.origin || link.target !== '' || link.hasAttribute('download')) return
  if (readPlace(link).view === 'nothing') return
  event.preventDefault()
  go(link.href)
}
