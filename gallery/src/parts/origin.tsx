import type { Origin as From } from '../../../src/contract/status.ts'
import { toRoots, toSchedule } from '../addresses.ts'
import { lateness } from '../schedule-words.ts'
import { client } from '../session.ts'
import { useAnswer } from '../use-answer.ts'
import { moment } from '../words.ts'

/** Which template or schedule a root came from. Nothing if it came from neither. */
export function Origin({ projectId, origin: { templateId, schedule } }: { projectId: string; origin: From }) {
  if (templateId === undefined && schedule === undefined) return null
  return (
    <p class="soft origin">
      {schedule && <BySchedule projectId={projectId} schedule={schedule} />}
      {templateId !== undefined && <FromTemplate projectId={projectId} templateId={templateId} />}
    </p>
  )
}

function BySchedule({
  projectId,
  schedule: { scheduleId, occurrence, ...late },
}: {
  projectId: string
  schedule: NonNullable<From['schedule']>
}) {
  const { value, failure } = useAnswer(`schedule ${projectId} ${scheduleId}`, (signal) =>
    client.getSchedule(projectId, scheduleId, { signal }),
  )
  const words = lateness(late)
  return (
    <span>
      by{' '}
      {failure === undefined ? (
        <a dir="auto" href={toSchedule(projectId, scheduleId)}>
          schedule {value?.name ?? ''}
        </a>
      ) : (
        'a removed schedule'
      )}
      , for {moment(occurrence)}
      {words !== undefined && <span class="late">, {words}</span>}
    </span>
  )
}

/** Links to all screenshots of the template. */
function FromTemplate({ projectId, templateId }: { projectId: string; templateId: string }) {
  const { value, failure } = useAnswer(`template ${projectId} ${templateId}`, (signal) =>
    client.getTemplate(projectId, templateId, { signal }),
  )
  return (
    <span>
      from{' '}
      <a dir="auto" href={toRoots(projectId, { template: templateId })}>
        {failure === undefined ? `template ${value?.name ?? ''}` : 'a removed template'}
      </a>
    </span>
  )
}
