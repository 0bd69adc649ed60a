import { createContext } from 'preact'
import { useContext, useState } from 'preact/hooks'

/** Reads addresses again; answers whether they are others now. */
export const RenewContext = createContext<() => Promise<boolean>>(async () => false)

/** A picture in a box whose size is known before it comes. An address that fails is asked for anew, once. */
export function Preview({ src, alt, eager = false }: { src: string; alt: string; eager?: boolean }) {
  const renew = useContext(RenewContext)
  const [loaded, setLoaded] = useState('')
  const [broken, setBroken] = useState('')
  const fail = async () => {
    if (!(await renew())) setBroken(src)
  }
  return (
    <span class={`preview ${loaded === '' ? '' : 'loaded'}`}>
      {broken === src ? (
        <span class="missing">no picture</span>
      ) : (
        <img
          src={src}
          alt={alt}
          width={400}
          height={250}
          loading={eager ? 'eager' : 'lazy'}
          decoding="async"
          onLoad={() => setLoaded(src)}
          onError={fail}
        />
      )}
    </span>
  )
}
