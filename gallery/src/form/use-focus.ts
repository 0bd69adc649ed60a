import { useLayoutEffect, useRef } from 'preact/hooks'

/** Moves the focus within a list after its length has changed: the element with the focus may be gone. */
export function useFocus(
  length: number,
): [{ current: HTMLFieldSetElement | null }, (selector: string, at?: number) => void] {
  const list = useRef<HTMLFieldSetElement>(null)
  const wanted = useRef<{ selector: string; at: number }>(undefined)
  useLayoutEffect(() => {
    if (!wanted.current) return
    const { selector, at } = wanted.current
    wanted.current = undefined
    const found = [...(list.current?.querySelectorAll<HTMLElement>(selector) ?? [])]
    found.at(at)?.focus()
  }, [length])
  return [
    list,
    (selector, at = 0) => {
      wanted.current = { selector, at }
    },
  ]
}
