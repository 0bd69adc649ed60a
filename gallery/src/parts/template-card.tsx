import type { Template } from '../../../src/contract/templates.ts'
import { toRoot, toRoots, toTemplate } from '../addresses.ts'
import { focusMain, go } from '../navigation.ts'
import { client } from '../session.ts'
import { useAct } from '../use-act.ts'
import { count, moment } from '../words.ts'
import { Confirm } from './confirm.tsx'
import { LastPicture } from './last-picture.tsx'
import { State } from './state.tsx'

/** A template with its last picture and its buttons. */
export function TemplateCard({
  projectId,
  template: { templateId, name, urls, last },
  onRemoved,
}: {
  projectId: string
  template: Template
  onRemoved: () => void
}) {
  const { busy, said, act } = useAct()
  const run = () =>
    act(async () => {
      const { jobId } = await client.runTemplate(projectId, templateId)
      go(toRoot(projectId, jobId))
    })
  const remove = () =>
    act(async () => {
      await client.removeTemplate(projectId, templateId)
      onRemoved()
      focusMain()
    })
  return (
    <article class="template" aria-labelledby={`name-${templateId}`}>
      <LastPicture projectId={projectId} name={name} last={last} />
      <div class="facts">
        <h2 id={`name-${templateId}`} dir="auto">
          {name}
        </h2>
        <p class="soft">
          {count(urls.length, 'page')} · {last ? moment(last.created) : 'not run yet'}
        </p>
        {last && (
          <p>
            <State state={last.state} />{' '}
            <a class="soft" href={toRoots(projectId, { template: templateId })}>
              all its screenshots
            </a>
          </p>
        )}
      </div>
      <div class="actions">
        <button type="button" class="primary" aria-disabled={busy} onClick={run}>
          Run now
        </button>
        <a class="button" href={toTemplate(projectId, templateId)}>
          Edit
        </a>
        <Confirm
          label="Remove"
          question="Remove it? Its screenshots stay."
          yes="Remove it"
          busy={busy}
          onYes={remove}
        />
      </div>
      <p class="soft said" role="status">
        {said}
      </p>
    </article>
  )
}
