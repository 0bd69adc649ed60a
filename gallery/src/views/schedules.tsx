import { useCallback, useEffect } from 'preact/hooks'
import { toSchedule } from '../addresses.ts'
import { Layout } from '../parts/layout.tsx'
import { RenewContext } from '../parts/preview.tsx'
import { Problem } from '../parts/problem.tsx'
import { ScheduleCard } from '../parts/schedule-card.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { atATime, client } from '../session.ts'
import { useListing } from '../use-listing.ts'
import { useNow } from '../use-now.ts'

const PAGE = 50
/** How often the list is read again: times pass, and runs end. */
const LOOK_MS = 15_000

export function SchedulesView({ projectId }: { projectId: string }) {
  const now = useNow()
  const schedules = useListing(
    `schedules ${projectId}`,
    () => client.listSchedules(projectId, { limit: atATime(PAGE) }),
    ({ last }) => last?.preview,
  )
  const { items } = schedules
  useEffect(() => {
    if (!schedules.complete) schedules.more()
  }, [schedules, items.length])
  useEffect(() => {
    if (items.length === 0) return
    const timer = setTimeout(() => schedules.renew(), LOOK_MS)
    return () => clearTimeout(timer)
  }, [schedules, items, schedules.failure])
  return (
    <Layout title="Schedules" projectId={projectId} place="schedules">
      {items.length > 0 && (
        <div class="heading">
          <h1>Schedules</h1>
          <p class="actions">
            <a class="button" href={toSchedule(projectId)}>
              New schedule
            </a>
          </p>
        </div>
      )}
      <RenewContext.Provider value={useCallback(() => schedules.renewUnlessJustDone(), [schedules])}>
        <ul class="schedules">
          {items.map((schedule) => (
            <li key={schedule.scheduleId}>
              <ScheduleCard
                projectId={projectId}
                schedule={schedule}
                now={now}
                onChanged={() => schedules.renew()}
              />
            </li>
          ))}
        </ul>
      </RenewContext.Provider>
      {schedules.failure !== undefined && (
        <Problem failure={schedules.failure} retry={() => schedules.retry()} />
      )}
      {schedules.growing && <Waiting />}
      {schedules.complete && items.length === 0 && (
        <div class="empty">
          <h1>There are no schedules yet</h1>
          <p>A schedule captures the same pages again and again: every night at two, or every six hours.</p>
          <p>
            <a class="primary" href={toSchedule(projectId)}>
              Create a schedule
            </a>
          </p>
        </div>
      )}
    </Layout>
  )
}
