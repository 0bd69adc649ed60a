import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

/** Rows that exist above and below the visible ones. */
const SPARE_PX = 600
/** Up to this number, new rows at the top are additions. More mean that it is another list. */
const MOST_MOVED = 20
/** The largest height of the bar at the top. */
const BAR_PX = 110

/** The width of an element, measured again when it changes. */
export function useWidth(): [{ current: HTMLDivElement | null }, number] {
  const container = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = container.current
    if (!element) return
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)))
    observer.observe(element)
    setWidth(Math.floor(element.getBoundingClientRect().width))
    return () => observer.disconnect()
  }, [])
  return [container, width]
}

/**
 * Rows of one height. Only visible rows exist. The document scrolls, not the list. `onLast` is called with the last
 * visible row. If rows become higher, or new ones come before them, the row at the top stays at the top.
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
  /** Identifies a row when its position has changed. */
  nameOf?: (index: number) => string | undefined
  onLast: (last: number) => void
  perRow?: number
  /** The row that must be visible. */
  shown?: number
}) {
  const list = useRef<HTMLUListElement>(null)
  const [[first, last], setRange] = useState<readonly [number, number]>([0, Math.ceil(1_200 / height)])
  const top = () => -(list.current?.getBoundingClientRect().top ?? 0)
  /** The item at the top of the screen, and how much of its row is above the top. */
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
