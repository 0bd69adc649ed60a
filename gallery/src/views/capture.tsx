import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ProblemError } from '../../../src/client/client.ts'
import { toRoot } from '../addresses.ts'
import { type Field, placeMistakes, SIZES, toRequest } from '../capture-form.ts'
import { go } from '../navigation.ts'
import { Layout } from '../parts/layout.tsx'
import { NoBrowser } from '../parts/no-browser.tsx'
import { explain } from '../parts/problem.tsx'
import { client } from '../session.ts'

const CUSTOM = 'custom'
const FIRST = SIZES[0]?.name ?? CUSTOM
const NONE: Record<Field, string[]> = { addresses: [], size: [], tags: [], form: [] }

export function CaptureView({ projectId }: { projectId: string }) {
  const [busy, setBusy] = useState(false)
  const [mistakes, setMistakes] = useState(NONE)
  const [size, setSize] = useState(FIRST)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [mistakes])
  const preset = SIZES.find(({ name }) => name === size)
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    if (busy) return
    const filled = new FormData(event.currentTarget as HTMLFormElement)
    const text = (name: string) => String(filled.get(name) ?? '')
    const addresses = text('addresses')
    setBusy(true)
    try {
      const { jobId } = await client.requestScreenshots(
        projectId,
        toRequest({
          addresses,
          width: preset?.width ?? Number(text('width')),
          height: preset?.height ?? Number(text('height')),
          fullPage: filled.has('fullPage'),
          tags: text('tags'),
        }),
      )
      go(toRoot(projectId, jobId))
    } catch (failure) {
      const told = failure instanceof ProblemError && failure.errors.length > 0
      setMistakes(told ? placeMistakes(addresses, failure.errors) : { ...NONE, form: [explain(failure)] })
      setBusy(false)
    }
  }
  return (
    <Layout title="New capture" projectId={projectId} tab="capture">
      <form ref={form} class="capture" onSubmit={submit} noValidate>
        <h1>New capture</h1>
        <NoBrowser />
        <div class="field">
          <label for="addresses">Addresses, one per line</label>
          <textarea
            id="addresses"
            name="addresses"
            rows={7}
            spellcheck={false}
            autoCapitalize="off"
            placeholder={'https://example.com/\nhttps://example.com/pricing'}
            aria-invalid={mistakes.addresses.length > 0}
            aria-describedby="addresses-mistakes"
          />
          <Mistakes id="addresses-mistakes" of={mistakes.addresses} />
        </div>
        <fieldset class="field" aria-describedby="size-mistakes">
          <legend>Size of the window</legend>
          <div class="sizes">
            {SIZES.map(({ name, width, height }) => (
              <SizeChoice key={name} value={name} chosen={size} onChoose={setSize}>
                <Shape width={width} height={height} />
                <strong>{name}</strong>
                <span class="soft">
                  {width} × {height}
                </span>
              </SizeChoice>
            ))}
            <SizeChoice value={CUSTOM} chosen={size} onChoose={setSize}>
              <span class="shape open" aria-hidden="true" />
              <strong>Another</strong>
              <span class="soft">your own</span>
            </SizeChoice>
          </div>
          {size === CUSTOM && (
            <div class="custom">
              <label>
                Width{' '}
                <input
                  name="width"
                  type="number"
                  inputMode="numeric"
                  defaultValue="1440"
                  aria-invalid={mistakes.size.some((mistake) => mistake.includes('width'))}
                />
              </label>
              <label>
                Height{' '}
                <input
                  name="height"
                  type="number"
                  inputMode="numeric"
                  defaultValue="900"
                  aria-invalid={mistakes.size.some((mistake) => mistake.includes('height'))}
                />
              </label>
            </div>
          )}
          <Mistakes id="size-mistakes" of={mistakes.size} />
        </fieldset>
        <label class="check">
          <input type="checkbox" name="fullPage" />
          <span>
            Full page <span class="soft">the whole page, not only what the window shows</span>
          </span>
        </label>
        <div class="field">
          <label for="tags">
            Tags <span class="soft">optional, separated by commas</span>
          </label>
          <input
            id="tags"
            name="tags"
            type="text"
            autoComplete="off"
            placeholder="release, homepage"
            aria-invalid={mistakes.tags.length > 0}
            aria-describedby="tags-mistakes"
          />
          <Mistakes id="tags-mistakes" of={mistakes.tags} />
        </div>
        <Mistakes id="form-mistakes" of={mistakes.form} />
        <button type="submit" class="primary" aria-disabled={busy}>
          {busy ? 'Sending…' : 'Capture'}
        </button>
      </form>
    </Layout>
  )
}

function Mistakes({ id, of }: { id: string; of: readonly string[] }) {
  return (
    <div id={id} class="mistake" role="alert">
      {of.length > 0 && (
        <ul>
          {of.map((mistake) => (
            <li key={mistake} dir="auto">
              {mistake}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function SizeChoice({
  value,
  chosen,
  onChoose,
  children,
}: {
  value: string
  chosen: string
  onChoose: (value: string) => void
  children: ComponentChildren
}) {
  return (
    <label class="size">
      <input
        type="radio"
        name="size"
        value={value}
        checked={value === chosen}
        onChange={() => onChoose(value)}
      />
      {children}
    </label>
  )
}

/** A small drawing of the window. */
function Shape({ width, height }: { width: number; height: number }) {
  const scale = 34 / Math.max(width, height)
  return (
    <span
      class="shape"
      aria-hidden="true"
      style={{ width: `${width * scale}px`, height: `${height * scale}px` }}
    />
  )
}
