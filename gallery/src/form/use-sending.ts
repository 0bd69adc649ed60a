import { useEffect, useRef, useState } from 'preact/hooks'
import { ProblemError } from '../../../src/client/client.ts'
import { explain } from '../parts/problem.tsx'

/** Mistakes that the service found, by field. `form`: mistakes that belong to no field. */
export type PlacedMistakes<Place extends string = string> = Readonly<
  Partial<Record<Place, readonly string[]>>
>

/** Mistakes that the service reports. */
export type Told = readonly { readonly pointer?: string | undefined; readonly detail: string }[]

/** Sends a form once at a time. The service checks it; each mistake is shown at its field, and the first one gets the focus. */
export function useSending<M extends PlacedMistakes>(send: () => Promise<void>, place: (told: Told) => M) {
  const [busy, setBusy] = useState(false)
  const [mistakes, setMistakes] = useState({} as M)
  const element = useRef<HTMLFormElement>(null)
  useEffect(() => {
    element.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [mistakes])
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    if (busy) return
    setBusy(true)
    try {
      await send()
      setMistakes({} as M)
    } catch (failure) {
      const told = failure instanceof ProblemError && failure.errors.length > 0
      setMistakes(told ? place(failure.errors) : ({ form: [explain(failure)] } as PlacedMistakes as M))
    }
    setBusy(false)
  }
  return { busy, mistakes, submit, element }
}

/** Mistakes at the fields of a plain form. `fields`: the name of the field in the request, its place, and its name in a sentence. */
export function placeAt(
  fields: Readonly<Record<string, readonly [place: string, noun: string]>>,
  told: Told,
): PlacedMistakes {
  const placed: Record<string, string[]> = {}
  for (const { pointer = '', detail } of told) {
    const [name = ''] = pointer.replace(/^#?\/?/, '').split('/')
    const [place, noun] = fields[name] ?? ['form', name]
    placed[place] = [...new Set([...(placed[place] ?? []), `${noun} ${detail}`.trim()])]
  }
  return placed
}
