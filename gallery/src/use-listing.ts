import { useEffect, useReducer } from 'preact/hooks'
import { Listing } from './listing.ts'

/** The last lists, kept for going back. */
const MOST_KEPT = 12
const kept = new Map<string, Listing<unknown>>()

/** `name` identifies the list that `open` reads. */
export function useListing<T>(
  name: string,
  open: () => AsyncGenerator<T[]>,
  address: (item: T) => string | undefined,
): Listing<T> {
  const listing = keep(name, () => new Listing(open, address))
  const [, changed] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    const leave = listing.subscribe(() => changed(undefined))
    const wake = () => {
      if (document.visibilityState !== 'visible') return
      if (listing.failure === undefined) listing.renewIfDue()
      else listing.retry()
    }
    document.addEventListener('visibilitychange', wake)
    window.addEventListener('focus', wake)
    window.addEventListener('online', wake)
    // A kept list is shown at once and read again.
    if (listing.items.length > 0 || listing.complete) void listing.renew()
    else listing.more()
    return () => {
      leave()
      document.removeEventListener('visibilitychange', wake)
      window.removeEventListener('focus', wake)
      window.removeEventListener('online', wake)
    }
  }, [listing])
  return listing
}

function keep<T>(name: string, make: () => Listing<T>): Listing<T> {
  const known = kept.get(name) as Listing<T> | undefined
  const listing = known ?? make()
  kept.delete(name)
  kept.set(name, listing as Listing<unknown>)
  for (const [oldest] of kept) {
    if (kept.size <= MOST_KEPT) break
    kept.delete(oldest)
  }
  return listing
}
