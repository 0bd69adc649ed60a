import { useEffect, useRef, useState } from 'preact/hooks'
import type { Template } from '../../../src/contract/templates.ts'
import { toRoot, toTemplate } from '../addresses.ts'
import { go } from '../navigation.ts'
import { client } from '../session.ts'
import { count, moment } from '../words.ts'
import { Preview } from './preview.tsx'
import { explain } from './problem.tsx'
import { State } from './state.tsx'

/** Previews have this width. The height is cut. */
const PREVIEW = { width: 400, height: 250 }

/** A template with its last picture, and what can be done with it. */
export function TemplateCard({
  projectId,
  template: { templateId, name, urls, last },
  onRemoved,
}: {
  projectId: string
  template: Template
  onRemoved: () => void
}) {
  const [busy, setBusy] = useState(false)
  const [said, setSaid] = useState('')
  const [isAsking, setAsking] = useState(false)
  const act = async (work: () => Promise<void>) => {
    if (busy) return
    setBusy(true)
    try {
      await work()
    } catch (failure) {
      setSaid(explain(failure))
      setAsking(false)
    }
    setBusy(false)
  }
  const run = () =>
    act(async () => {
      const { jobId } = await client.runTemplate(projectId, templateId)
      go(toRoot(projectId, jobId))
    })
  const remove = () =>
    act(async () => {
      await client.removeTemplate(projectId, templateId)
      onRemoved()
    })
  const picture =
    last?.preview === undefined ? (
      <span class="preview" />
    ) : (
      <Preview job={{ preview: last.preview, screenshotParameter: PREVIEW }} />
    )
  return (
    <article class="template" aria-labelledby={`name-${templateId}`}>
      {last ? (
        <a class="picture" href={toRoot(projectId, last.rootId)} aria-label={`Last capture of ${name}`}>
          {picture}
        </a>
      ) : (
        <span class="picture">{picture}</span>
      )}
      <div class="facts">
        <h2 id={`name-${templateId}`} dir="auto">
          {name}
        </h2>
        <p class="soft">
          {count(urls.length, 'page')} · {last ? moment(last.created) : 'not run yet'}
        </p>
        {last && (
          <p>
            <State state={last.state} />
          </p>
        )}
      </div>
      {isAsking ? (
        <Confirm name={name} busy={busy} onYes={remove} onNo={() => setAsking(false)} />
      ) : (
        <div class="actions">
          <button type="button" class="primary" aria-disabled={busy} onClick={run}>
            Run now
          </button>
          <a class="button" href={toTemplate(projectId, templateId)}>
            Edit
          </a>
          <button type="button" aria-disabled={busy} onClick={() => setAsking(true)}>
            Delete
          </button>
        </div>
      )}
      <p class="soft said" role="status">
        {said}
      </p>
    </article>
  )
}

function Confirm({
  name,
  busy,
  onYes,
  onNo,
}: {
  name: string
  busy: boolean
  onYes: () => void
  onNo: () => void
}) {
  const no = useRef<HTMLButtonElement>(null)
  // The button with the focus is gone. The harmless one gets it.
  useEffect(() => no.current?.focus(), [])
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is part of a form
    <div class="confirm" role="group" aria-label={`Delete ${name}?`}>
      <p>Delete it? Its captures stay.</p>
      <div class="actions">
        <button type="button" class="primary" aria-disabled={busy} onClick={onYes}>
          Delete it
        </button>
        <button ref={no} type="button" onClick={onNo}>
          Keep it
        </button>
      </div>
    </div>
  )
}
