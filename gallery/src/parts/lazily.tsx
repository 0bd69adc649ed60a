import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Problem } from './problem.tsx'
import { Waiting } from './waiting.tsx'

/** A part whose script is loaded when it is shown, once. Other views do without it. */
export function lazily<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let loaded: ComponentType<P> | undefined
  return function Lazily(props: P) {
    const [Part, setPart] = useState(() => loaded)
    const [failure, setFailure] = useState<unknown>()
    useEffect(() => {
      if (Part) return
      const show = (next: ComponentType<P>) => {
        loaded = next
        setPart(() => next)
      }
      load().then(show, setFailure)
    }, [Part])
    if (Part) return <Part {...props} />
    return failure === undefined ? <Waiting /> : <Problem failure={failure} retry={() => location.reload()} />
  }
}
