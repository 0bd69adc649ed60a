import { createContext } from 'preact'
import { useContext, useEffect, useRef, useState } from 'preact/hooks'
import type { JobResult } from '../../../src/contract/results.ts'
import type { Seen } from '../../../src/contract/seen.ts'
import { Marks } from './marks.tsx'

/** Reads addresses again. */
export const RenewContext = createContext<() => Promise<void> | void>(() => {})

/** A picture in a box whose size is known before it loads. If its address fails, it is read again, once. */
export function Preview({
  job,
  seen,
  eager = false,
}: {
  job: Pick<JobResult, 'preview'> & { readonly screenshotParameter: { width: number; height: number } }
  /** The page as the browser saw it. Its marks are shown on the picture. */
  seen?: Seen | undefined
  eager?: boolean
}) {
  const { preview: src, screenshotParameter: size } = job
  const renew = useContext(RenewContext)
  const [loaded, setLoaded] = useState('')
  const [broken, setBroken] = useState('')
  const current = useRef(src)
  current.current = src
  const fail = async () => {
    await renew()
    if (current.current === src) setBroken(src)
  }
  useEffect(() => {
    if (broken === '') return
    const again = () => setBroken('')
    window.addEventListener('online', again)
    return () => window.removeEventListener('online', again)
  }, [broken])
  return (
    <span class={`preview ${loaded === '' ? '' : 'loaded'} ${isNarrow(size) ? 'narrow' : ''}`}>
      {broken === src ? (
        <span class="missing">no picture</span>
      ) : (
        <img
          src={src}
          alt=""
          width={size.width}
          height={size.height}
          loading={eager ? 'eager' : 'lazy'}
          decoding="async"
          onLoad={() => setLoaded(src)}
          onError={fail}
        />
      )}
      <Marks seen={seen} />
    </span>
  )
}

/** Higher than wide, but not very long. Of a very long page the top is shown. */
function isNarrow({ width, height }: { width: number; height: number }): boolean {
  return height > width * 1.1 && height < width * 2.5
}
