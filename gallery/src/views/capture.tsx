import { useEffect, useState } from 'preact/hooks'
import { Layout } from '../parts/layout.tsx'
import { Problem } from '../parts/problem.tsx'
import { Waiting } from '../parts/waiting.tsx'

type Loaded = typeof import('../form/capture-form.tsx')

/** Loaded once. Other views do without its script. */
let loaded: Loaded | undefined

export function CaptureView({ projectId }: { projectId: string }) {
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
  return (
    <Layout title="New capture" projectId={projectId} place="capture">
      {form && <form.CaptureForm projectId={projectId} />}
      {!form && failure === undefined && <Waiting />}
      {failure !== undefined && <Problem failure={failure} retry={() => location.reload()} />}
    </Layout>
  )
}
