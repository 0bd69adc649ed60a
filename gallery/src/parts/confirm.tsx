import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

/**
 * A button that asks before it acts. The question takes its place; the harmless answer has the focus, and so has Escape. The
 * focus then returns to the button.
 */
export function Confirm({
  label,
  question,
  yes,
  no = 'Keep it',
  isReady = true,
  busy,
  onYes,
  children,
}: {
  /** The words on the button. */
  label: string
  question: string
  yes: string
  no?: string
  /** Whether yes can be chosen: something may have to be typed first. */
  isReady?: boolean
  busy: boolean
  onYes: () => void
  /** More fields of the question. */
  children?: ComponentChildren
}) {
  const [isAsking, setAsking] = useState(false)
  const group = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const wasAsked = useRef(false)
  // The element with the focus is gone.
  useLayoutEffect(() => {
    if (isAsking) group.current?.querySelector<HTMLElement>('input, .no')?.focus()
    else if (wasAsked.current) button.current?.focus()
    wasAsked.current = isAsking
  }, [isAsking])
  if (!isAsking) {
    return (
      <button ref={button} type="button" aria-disabled={busy} onClick={() => setAsking(true)}>
        {label}
      </button>
    )
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is part of a form
    <div
      ref={group}
      class="confirm"
      role="group"
      aria-label={question}
      onKeyDown={(event) => {
        if (event.key === 'Escape') setAsking(false)
      }}
    >
      <p>{question}</p>
      {children}
      <div class="actions">
        <button
          type="button"
          class="primary"
          aria-disabled={busy || !isReady}
          onClick={() => {
            if (!isReady) return
            setAsking(false)
            onYes()
          }}
        >
          {yes}
        </button>
        <button type="button" class="no" onClick={() => setAsking(false)}>
          {no}
        </button>
      </div>
    </div>
  )
}
