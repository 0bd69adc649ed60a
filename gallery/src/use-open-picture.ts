import { useEffect, useRef, useState } from 'preact/hooks'
import type { JobResult } from '../../src/contract/results.ts'
import { toRoot } from './addresses.ts'
import type { KnownPage } from './known-pages.ts'
import type { Lightbox } from './lightbox.ts'
import type { Listing } from './listing.ts'
import { go, leaveTo } from './navigation.ts'

/** Keeps the address and the lightbox in step: the address says which picture is open. */
export function useOpenPicture(
  projectId: string,
  rootId: string,
  picture: string,
  jobs: Listing<JobResult>,
  /** By the id of the picture. */
  known: ReadonlyMap<string, KnownPage>,
): { index: number; failure: unknown } {
  const box = useRef<Lightbox>(undefined)
  const shown = useRef('')
  const newest = useRef(known)
  newest.current = known
  useEffect(() => box.current?.refresh(), [known])
  /** Closed, but the address still names it: going back takes a moment. */
  const left = useRef('')
  const [opening, setOpening] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  /** The picture that the address names now. */
  const wanted = useRef(picture)
  wanted.current = picture
  const index = picture === '' ? -1 : jobs.items.findIndex(({ uuid }) => uuid === picture)
  // It may be on a list page that was not read yet.
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
      // Loading took a while: the user may have left.
      if (wanted.current === '') return setOpening(false)
      shown.current = wanted.current
      box.current = openLightbox(jobs, {
        picture: wanted.current,
        knownOf: (uuid) => newest.current.get(uuid),
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
