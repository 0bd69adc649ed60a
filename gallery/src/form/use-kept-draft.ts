import { useEffect, useRef } from 'preact/hooks'
import type { Draft } from './draft.ts'
import { keepDraft, nameDraft } from './kept-drafts.ts'

/** Keeps the draft when the form or the document is left. */
export function useKeptDraft(name: string, draft: Draft): void {
  const newest = useRef(draft)
  newest.current = draft
  // Also after another entry of the history has led to the same form.
  useEffect(() => nameDraft(name))
  useEffect(() => {
    const keep = () => keepDraft(name, newest.current)
    window.addEventListener('pagehide', keep)
    return () => {
      window.removeEventListener('pagehide', keep)
      keep()
    }
  }, [name])
}
