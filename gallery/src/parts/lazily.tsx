import type { ComponentChildren, ComponentType } from 'preact'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { focusMain } from '../navigation.ts'
import { Layout } from './layout.tsx'
import { Problem } from './problem.tsx'
import { Waiting } from './waiting.tsx'

/** A part whose script is loaded when it is shown, once. Other views do without it. `around`: the layout around it meanwhile. */
export function lazily<P extends object>(
  load: () => Promise<ComponentType<P>>,
  around: (waiting: ComponentChildren, props: P) => ComponentChildren = (waiting) => waiting,
): ComponentType<P> {
  let loaded: ComponentType<P> | undefined
  return function Lazily(props: P) {
    const [Part, setPart] = useState(() => loaded)
    const [hadFocus, setHadFocus] = useState(false)
    const [failure, setFailure] = useState<unknown>()
    useEffect(() => {
      if (Part) return
      const show = (next: ComponentType<P>) => {
        loaded = next
        setHadFocus(document.activeElement?.id === 'main')
        setPart(() => next)
      }
      load().then(show, setFailure)
    }, [Part])
    // The placeholder is gone, and with it the focus.
    useLayoutEffect(() => {
      if (hadFocus) focusMain()
    }, [hadFocus])
    if (Part) return <Part {...props} />
    const waiting =
      failure === undefined ? <Waiting /> : <Problem failure={failure} retry={() => location.reload()} />
    return <>{around(waiting, props)}</>
  }
}

/** A view that is loaded when it is shown. */
export function lazyView<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  return lazily(load, (waiting, { projectId }: P & { readonly projectId?: string }) => (
    <Layout title="" {...(projectId !== undefined && { projectId })}>
      {waiting}
    </Layout>
  ))
}
