import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

/** Rows beyond what is seen, so that scrolling finds them there. */
const SPARE_PX = 600

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
 * Rows of one height, of which only those exist that are seen. The page scrolls, not the list. `onRow` hears which
 * is the last one in sight.
 */
export function Rows({
  count,
  height,
  label,
  row,
  onLast,
}: {
  count: number
  height: number
  label: string
  row: (index: number) => ComponentChildren
  onLast: (last: number) => void
}) {
  const list = useRef<HTMLUListElement>(null)
  const [[first, last], setRange] = useState<readonly [number, number]>([0, Math.ceil(1_200 / height)])
  useLayoutEffect(() => {
    const look = () => {
      const top = -(list.current?.getBoundingClientRect().top ?? 0)
      const from = Math.max(0, Math.floor((top - SPARE_PX) / height))
      const to = Math.max(from, Math.ceil((top + window.innerHeight + SPARE_PX) / height))
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
  }, [height, count, onLast])
  const shown = []
  for (let index = first; index < Math.min(last, count); index++) {
    shown.push(
      <li
        key={index}
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
      {shown}
    </ul>
  )
}
