import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { copyText } from '../copy-text.ts'
import { focusMain } from '../navigation.ts'

/** A secret that is shown once, to be copied. It gets the focus, so that screen readers say it. */
export function Once({
  title,
  text,
  onDone,
  children,
}: {
  title: string
  text: string
  onDone?: () => void
  children: ComponentChildren
}) {
  const [said, setSaid] = useState('')
  const section = useRef<HTMLElement>(null)
  useLayoutEffect(() => section.current?.focus(), [text])
  const copy = async () =>
    setSaid((await copyText(text)) ? 'Copied.' : 'It could not be copied. Select it, and copy it yourself.')
  return (
    <section ref={section} class="once" tabIndex={-1} aria-label={title}>
      <h2>{title}</h2>
      <code>{text}</code>
      <p class="soft">{children}</p>
      <div class="actions">
        <button type="button" class="primary" onClick={copy}>
          Copy
        </button>
        {onDone && (
          <button
            type="button"
            onClick={() => {
              onDone()
              focusMain()
            }}
          >
            I have saved it
          </button>
        )}
        <span class="soft" role="status">
          {said}
        </span>
      </div>
    </section>
  )
}
