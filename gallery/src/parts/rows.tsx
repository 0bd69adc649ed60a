import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

/** Rows beyond what is seen, so that scrolling finds them there. */
const SPARE_PX = 600
/** Rows that come before others at once; where more do, it is another list. */
const MOST_MOVED = 20
/** What the bar covers, at most. */
const BAR_PX = 110

/** Of a list that is as wide as its place. */
export function useWidth(): [{ current: HTMLDivElement | null }, number] {
  const place = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = place.current
    if (!element) return
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)))
    observer.observe(element)
    setWidth(Math.floor(element.getBoundingClientRect().width))
    return () => observer.disconnect()
  }, [])
  return [place, width]
}

/**
 * Rows of one height, of which only those exist that are seen. The page scrolls, not the list. `onLast` hears which
 * is the last one in sight. Where rows become higher or hold more, or others come before them, what was at the top stays
 * there.
 */
export function Rows({
  count,
  height,
  label,
  row,
  nameOf,
  onLast,
  perRow = 1,
  shown = -1,
}: {
  count: number
  height: number
  label: string
  row: (index: number) => ComponentChildren
  /** By which a row is known when its place is another. */
  nameOf?: (index: number) => string | undefined
  onLast: (last: number) => void
  perRow?: number
  /** To be in sight. */
  shown?: number
}) {
  const list = useRef<HTMLUListElement>(null)
  const [[first, last], setRange] = useState<readonly [number, number]>([0, Math.ceil(1_200 / height)])
  const top = () => -(list.current?.getBoundingClientRect().top ?? 0)
  /** Which item is at the top of the screen, with the part of its row that is above. */
  const anchor = useRef(0)
  useLayoutEffect(() => {
    if (anchor.current > 0) window.scrollBy(0, (anchor.current / perRow) * height - top())
  }, [height, perRow])
  const named = useRef<string | undefined>(undefined)
  useLayoutEffect(() => {
    const at = Math.floor(anchor.current / perRow)
    if (!nameOf || named.current === undefined || at < 1) return
    let moved = 0
    while (moved < MOST_MOVED && nameOf(at + moved) !== named.current) moved++
    if (moved > 0 && moved < MOST_MOVED) window.scrollBy(0, moved * height)
  })
  useLayoutEffect(() => {
    if (shown < 0) return
    const above = shown * height - top() - BAR_PX
    const below = (shown + 1) * height - top() - window.innerHeight
    if (above < 0 || below > 0) window.scrollBy(0, above < 0 ? above : below)
  }, [shown, height])
  useLayoutEffect(() => {
    const look = () => {
      const above = top()
      anchor.current = (above / height) * perRow
      named.current = nameOf?.(Math.floor(above / height))
      const from = Math.max(0, Math.floor((above - SPARE_PX) / height))
      const to = Math.max(from, Math.ceil((above + window.innerHeight + SPARE_PX) / height))
      setRange((range) => (range[0] === from && range[1] === to ? range : [from, to]))
      onLast(to)
    }
    look()
    window.addEventListener('scroll', look, { passive: true })
    window.addEventListener('resize', look)
    return () => {
      window.removeEventListener('scroll', look)
      window.removeEventListener('resize', look)
    }
  }, [height, perRow, count, onLast, nameOf])
  const rows = []
  for (let index = first; index < Math.min(last, count); index++) {
    rows.push(
      <li
        key={nameOf?.(index) ?? index}
        class="row"
        style={{ height: `${height}px`, transform: `translateY(${index * height}px)` }}
        aria-posinset={index + 1}
        aria-setsize={count}
      >
        {row(index)}
      </li>,
    )
  }
  return (
    <ul ref={list} class="rows" style={{ height: `${count * height}px` }} aria-label={label}>
      {rows}
    </ul>
  )
}
