import { useEffect, useRef, useState } from 'preact/hooks'
import type { JobResult } from '../../src/contract/results.ts'
import type { Seen } from '../../src/contract/seen.ts'
import { toRoot } from './addresses.ts'
import type { Lightbox } from './lightbox.ts'
import type { Listing } from './listing.ts'
import { go, leaveTo } from './navigation.ts'

/** The address says which picture is open; the lightbox follows it, and it follows the lightbox. */
export function useOpenPicture(
  projectId: string,
  rootId: string,
  picture: string,
  jobs: Listing<JobResult>,
  /** By the id of the picture. */
  seen: ReadonlyMap<string, Seen>,
): { index: number; failure: unknown } {
  const box = useRef<Lightbox>(undefined)
  const shown = useRef('')
  const known = useRef(seen)
  known.current = seen
  useEffect(() => box.current?.refresh(), [seen])
  /** Closed while its address is still there: going back takes a moment. */
  const left = useRef('')
  const [opening, setOpening] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  /** What the address says by now. */
  const wanted = useRef(picture)
  wanted.current = picture
  const index = picture === '' ? -1 : jobs.items.findIndex(({ uuid }) => uuid === picture)
  // It may be on a page of the list that was not asked for yet.
  useEffect(() => {
    if (picture !== '' && index < 0) jobs.more()
  }, [picture, index, jobs, jobs.items])
  useEffect(() => {
    if (picture === '') {
      left.current = ''
      box.current?.close()
    }
    if (index < 0 || box.current || opening || picture === left.current) return
    setOpening(true)
    const open = ({ openLightbox }: typeof import('./lightbox.ts')) => {
      // It had to be fetched, and whoever wanted it may have left.
      if (wanted.current === '') return setOpening(false)
      shown.current = wanted.current
      box.current = openLightbox(jobs, {
        picture: wanted.current,
        seenOf: (uuid) => known.current.get(uuid),
        onShow({ uuid }) {
          if (uuid === shown.current) return
          shown.current = uuid
          go(toRoot(projectId, rootId, uuid), { replace: true })
        },
        onClose() {
          box.current = undefined
          setOpening(false)
          const { current: uuid } = shown
          document.querySelector<HTMLElement>(`a.open[href$="picture=${CSS.escape(uuid)}"]`)?.focus()
          if (!new URL(location.href).searchParams.has('picture')) return
          left.current = shown.current
          leaveTo(toRoot(projectId, rootId))
        },
      })
    }
    import('./lightbox.ts').then(open, setFailure)
  }, [picture, index, jobs, projectId, rootId, opening])
  useEffect(
    () => () => {
      wanted.current = ''
      box.current?.close()
    },
    [],
  )
  return { index, failure }
}
