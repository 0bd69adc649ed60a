import { useEffect, useState } from 'preact/hooks'
import type { Purpose } from '../form/capture-form.tsx'
import { Problem } from './problem.tsx'
import { Waiting } from './waiting.tsx'

type Loaded = typeof import('../form/capture-form.tsx')

/** Loaded once. Other views do without its script. */
let loaded: Loaded | undefined

/** The form for a request, when its script is there. */
export function LoadForm(purpose: Purpose) {
  const [form, setForm] = useState(loaded)
  const [failure, setFailure] = useState<unknown>()
  useEffect(() => {
    if (form) return
    const show = (next: Loaded) => {
      loaded = next
      setForm(next)
    }
    import('../form/capture-form.tsx').then(show, setFailure)
  }, [form])
  if (form) return <form.CaptureForm {...purpose} />
  return failure === undefined ? <Waiting /> : <Problem failure={failure} retry={() => location.reload()} />
}
