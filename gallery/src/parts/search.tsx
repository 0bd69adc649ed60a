import { useEffect, useRef } from 'preact/hooks'

/** Wait until the user stops typing. */
const PAUSE_MS = 250

export function Search({
  value,
  label,
  onSearch,
}: {
  value: string
  label: string
  onSearch: (text: string) => void
}) {
  const input = useRef<HTMLInputElement>(null)
  const told = useRef(onSearch)
  told.current = onSearch
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      const typing = event.target instanceof Element && event.target.closest('input, textarea, .pswp')
      if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      input.current?.focus()
    }
    document.addEventListener('keydown', focus)
    return () => document.removeEventListener('keydown', focus)
  }, [])
  // The address may change without typing, for example by going back.
  const sought = useRef(value)
  useEffect(() => {
    if (input.current && value !== sought.current) input.current.value = value
    sought.current = value
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  const search = (wait: number) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      sought.current = input.current?.value.trim() ?? ''
      told.current(sought.current)
    }, wait)
  }
  return (
    <search>
      <form
        class="search"
        onSubmit={(event) => {
          event.preventDefault()
          search(0)
        }}
      >
        <input
          ref={input}
          type="search"
          name="q"
          defaultValue={value}
          maxLength={200}
          autoComplete="off"
          spellcheck={false}
          aria-label={label}
          placeholder={label}
          onInput={() => search(PAUSE_MS)}
        />
        <span class="hint" aria-hidden="true">
          /
        </span>
      </form>
    </search>
  )
}
