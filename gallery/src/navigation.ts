import { useEffect, useState } from 'preact/hooks'
import { type Route, readRoute } from './addresses.ts'

/** Kept with each entry of the browser's history, so that going back restores the scroll position. */
interface Entry {
  readonly scroll?: number
  /** The entry before this one is also a route of the gallery. */
  readonly within?: true
  /** The name of the draft in the form. See kept-drafts.ts. */
  readonly draft?: string
}

type GoOptions = Pick<Entry, 'draft'> & { readonly replace?: boolean }

const ARRIVED = 'proofsheet:arrived'
/** How often the scroll position is written into the entry. Safari allows 100 writes in 30 s. */
const NOTE_MS = 350

export function go(address: string, { replace = false, ...noted }: GoOptions = {}): void {
  if (replace) {
    history.replaceState({ ...history.state, ...noted, scroll: 0 } satisfies Entry, '', address)
  } else {
    remember()
    history.pushState({ ...noted, within: true } satisfies Entry, '', address)
  }
  window.dispatchEvent(new Event(ARRIVED))
}

/** Closes the picture of a route: goes back if possible, else forward to the route itself. */
export function leaveTo(address: string): void {
  if (entry().within) history.back()
  else go(address, { replace: true })
}

/** For when the element with the focus is gone: screen readers then say the name of the view. */
export function focusMain(): void {
  document.getElementById('main')?.focus({ preventScroll: true })
}

/** The data that is kept with the current entry. */
export function entry(): Entry {
  return (history.state as Entry | null) ?? {}
}

export function noteInEntry(noted: Entry): void {
  history.replaceState({ ...entry(), ...noted } satisfies Entry, '')
}

function remember(): void {
  noteInEntry({ scroll: window.scrollY })
}

/** Follows the address bar, and handles clicks on links of the gallery. */
export function useNavigation(): Route {
  const [route, setRoute] = useState(() => readRoute(location))
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
      setRoute(readRoute(location))
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
  return route
}

/** How long to wait for the next piece of a list that is not long enough for the old scroll position. */
const GROWING_MS = 30_000

/** Restores the scroll position of this entry as soon as the document is long enough, unless the user scrolls. */
export function keepScroll(): () => void {
  const target = entry().scroll ?? 0
  let late: ReturnType<typeof setTimeout> | undefined
  const listening = new AbortController()
  const growing = new ResizeObserver(() => look())
  const stop = () => {
    clearTimeout(late)
    growing.disconnect()
    listening.abort()
  }
  const look = () => {
    window.scrollTo(0, target)
    clearTimeout(late)
    if (Math.abs(window.scrollY - target) <= 1) stop()
    else late = setTimeout(stop, GROWING_MS)
  }
  for (const event of ['wheel', 'touchstart', 'keydown', 'pointerdown']) {
    window.addEventListener(event, stop, { passive: true, signal: listening.signal })
  }
  growing.observe(document.documentElement)
  look()
  return stop
}

/** Clicks that open another tab, or have another effect, are left to the browser. */
function followLink(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest('a') : null
  const elsewhere = event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey
  if (!link || elsewhere || event.defaultPrevented) return
  if (link.getAttribute('href')?.startsWith('#')) {
    // With a <base>, `#…` would lead to another address.
    event.preventDefault()
    document.getElementById(link.hash.slice(1))?.focus()
    return
  }
  if (link.origin !== location.origin || link.target !== '' || link.hasAttribute('download')) return
  if (readRoute(link).view === 'nothing') return
  event.preventDefault()
  go(link.href)
}
