import { useEffect } from 'preact/hooks'
import type { Schedule } from '../../../src/contract/schedules.ts'
import { toSchedules } from '../addresses.ts'
import { nextRun, trouble } from '../schedule-words.ts'
import { atATime, client } from '../session.ts'
import { useAnswer } from '../use-answer.ts'
import { useNow } from '../use-now.ts'
import { shortMoment } from '../words.ts'

/** How often the schedules are read again: at the latest, and at the earliest after a time has come. */
const LOOK_MS = 60_000
const SOON_MS = 5_000
/** The most that are read. The page of the schedules has all of them. */
const MOST = 200

/** The next run of every schedule of a project, the soonest first. Nothing if there are none. */
export function NextRuns({ projectId }: { projectId: string }) {
  const now = useNow()
  const { value, reload } = useAnswer(`next runs ${projectId}`, async (signal) => {
    const all: Schedule[] = []
    for await (const page of client.listSchedules(projectId, { limit: atATime(100), signal })) {
      all.push(...page)
      if (all.length >= MOST) break
    }
    return all.toSorted((one, other) => soonness(one) - soonness(other))
  })
  useEffect(() => {
    if (!value || value.length === 0) return
    const soonest = value[0] ? soonness(value[0]) - Date.now() : LOOK_MS
    const timer = setTimeout(reload, Math.min(LOOK_MS, Math.max(SOON_MS, soonest + SOON_MS)))
    return () => clearTimeout(timer)
  }, [value, reload])
  if (!value || value.length === 0) return null
  return (
    <section class="next-runs" aria-labelledby="next-runs">
      <h2 id="next-runs">
        <a href={toSchedules(projectId)}>Schedules</a>
      </h2>
      <ul>
        {value.map((schedule) => (
          <Run key={schedule.scheduleId} projectId={projectId} schedule={schedule} now={now} />
        ))}
      </ul>
    </section>
  )
}

function Run({ projectId, schedule, now }: { projectId: string; schedule: Schedule; now: number }) {
  const { name, paused, next } = schedule
  const wrong = trouble(schedule)
  const words = nextRun(schedule, now)
  const state = paused ? 'paused' : wrong !== undefined || words.startsWith('late') ? 'failed' : 'scheduled'
  return (
    <li>
      <a href={toSchedules(projectId)} title={wrong}>
        <strong dir="auto">{name}</strong>
        <span class={`state ${state}`}>{words}</span>
        <span class="soft">
          {wrong === undefined ? next[0] !== undefined && shortMoment(next[0]) : wrong}
        </span>
      </a>
    </li>
  )
}

/** Those without a next time are the last. */
function soonness({ next: [next] }: Schedule): number {
  return next ?? Number.MAX_SAFE_INTEGER
}
