import type { Schedule } from '../../../src/contract/schedules.ts'
import { toRoot, toSchedule, toTemplate } from '../addresses.ts'
import { focusMain, go } from '../navigation.ts'
import { asAsked, cadence, nextRun, trouble } from '../schedule-words.ts'
import { client } from '../session.ts'
import { useAct } from '../use-act.ts'
import { useAnswer } from '../use-answer.ts'
import { count, moment, shortMoment } from '../words.ts'
import { Confirm } from './confirm.tsx'
import { LastPicture } from './last-picture.tsx'
import { NextTimes } from './next-times.tsx'
import { State } from './state.tsx'

/** A schedule: when it runs, its last root, and its buttons. */
export function ScheduleCard({
  projectId,
  schedule,
  now,
  onChanged,
}: {
  projectId: string
  schedule: Schedule
  now: number
  onChanged: () => Promise<void>
}) {
  const { scheduleId, name, paused, next, last } = schedule
  const { busy, said, act } = useAct()
  const wrong = trouble(schedule)
  const run = () =>
    act(async () => {
      const { jobId } = await client.runSchedule(projectId, scheduleId)
      go(toRoot(projectId, jobId))
    })
  const pause = () =>
    act(async () => {
      const { version, ...read } = await client.getSchedule(projectId, scheduleId)
      await client.changeSchedule(projectId, scheduleId, { ...asAsked(read), paused: !paused }, { version })
      await onChanged()
    })
  const remove = () =>
    act(async () => {
      await client.removeSchedule(projectId, scheduleId)
      await onChanged()
      focusMain()
    })
  return (
    <article class="schedule" aria-labelledby={`name-${scheduleId}`}>
      <LastPicture projectId={projectId} name={name} last={last} />
      <div class="facts">
        <h2 id={`name-${scheduleId}`} dir="auto">
          {name}
        </h2>
        <p>
          {cadence(schedule)} <span class="soft">· </span>
          <What projectId={projectId} schedule={schedule} />
        </p>
        <p class="soft">
          {last ? (
            <>
              last {moment(last.created)} <State state={last.state} />
            </>
          ) : (
            'has not run yet'
          )}
        </p>
        <p class="soft">{tally(schedule)}</p>
        {wrong !== undefined && <p class="wrong">{wrong}</p>}
      </div>
      <div class="acts">
        <div class="actions">
          <button type="button" aria-disabled={busy} onClick={run}>
            Run now
          </button>
          <button type="button" aria-disabled={busy} onClick={pause}>
            {paused ? 'Resume' : 'Pause'}
          </button>
          <a class="button" href={toSchedule(projectId, scheduleId)}>
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
      </div>
      <div class="next">
        <p class={paused ? 'state paused' : 'state scheduled'}>{nextRun(schedule, now)}</p>
        <NextTimes
          times={next}
          timezone={schedule.cron === undefined ? undefined : (schedule.timezone ?? 'UTC')}
        />
      </div>
    </article>
  )
}

/** `12 runs, 1 late, 2 skipped`. */
function tally({ runs, late, skipped, created }: Schedule): string {
  const parts = [
    count(runs, 'run'),
    ...(late > 0 ? [`${late} late`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ]
  return `${parts.join(', ')} since ${shortMoment(created)}`
}

/** The template that it runs, or its own pages. */
function What({ projectId, schedule: { templateId, request } }: { projectId: string; schedule: Schedule }) {
  const { value, failure } = useAnswer(
    templateId === undefined ? '' : `template ${projectId} ${templateId}`,
    (signal) => client.getTemplate(projectId, templateId ?? '', { signal }),
  )
  if (templateId === undefined) return <span class="soft">{count(request?.urls.length ?? 0, 'page')}</span>
  return (
    <a class="soft" dir="auto" href={toTemplate(projectId, templateId)}>
      {failure === undefined ? `template ${value?.name ?? ''}` : 'a removed template'}
    </a>
  )
}
