import { useEffect, useState } from 'preact/hooks'
import type { Template } from '../../../src/contract/templates.ts'
import { toSchedules } from '../addresses.ts'
import type { ScheduleFormProps } from '../form/schedule-form.tsx'
import { go } from '../navigation.ts'
import { Layout } from '../parts/layout.tsx'
import { lazily } from '../parts/lazily.tsx'
import { Problem } from '../parts/problem.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { atATime, client } from '../session.ts'

/** The most templates to choose from. */
const MOST_TEMPLATES = 500

const ScheduleForm = lazily(async () => (await import('../form/schedule-form.tsx')).ScheduleForm)

interface Read {
  readonly templates: readonly Template[]
  readonly before?: NonNullable<ScheduleFormProps['before']>
  readonly version?: string | undefined
}

/** The form of a schedule: of a new one, or of one that is changed. */
export function ScheduleView({ projectId, scheduleId }: { projectId: string; scheduleId: string }) {
  const [read, setRead] = useState<Read>()
  const [failure, setFailure] = useState<unknown>()
  useEffect(() => {
    const left = new AbortController()
    readAll(projectId, scheduleId, left.signal).then(setRead, (error) => {
      if (!left.signal.aborted) setFailure(error)
    })
    return () => left.abort()
  }, [projectId, scheduleId])
  const title = scheduleId === '' ? 'New schedule' : 'Edit the schedule'
  return (
    <Layout title={title} projectId={projectId} place="schedules">
      {failure !== undefined && <Problem failure={failure} retry={() => location.reload()} />}
      {!read && failure === undefined && <Waiting />}
      {read && (
        <ScheduleForm
          projectId={projectId}
          templates={read.templates}
          {...(read.before && { before: read.before })}
          send={async (schedule) => {
            if (scheduleId === '') await client.createSchedule(projectId, schedule)
            else await client.changeSchedule(projectId, scheduleId, schedule, { version: read.version })
            go(toSchedules(projectId))
          }}
        />
      )}
    </Layout>
  )
}

async function readAll(projectId: string, scheduleId: string, signal: AbortSignal): Promise<Read> {
  const reading = readTemplates(projectId, signal)
  if (scheduleId === '') return { templates: await reading }
  const [templates, { version, ...schedule }, { fromSchedule }, { fromTemplate }] = await Promise.all([
    reading,
    client.getSchedule(projectId, scheduleId, { signal }),
    import('../form/schedule-plan.ts'),
    import('../form/from-request.ts'),
  ])
  const { name, request } = schedule
  const draft = request && fromTemplate({ name, ...request })
  return { templates, version, before: { plan: fromSchedule(schedule), draft } }
}

async function readTemplates(projectId: string, signal: AbortSignal): Promise<Template[]> {
  const templates: Template[] = []
  for await (const page of client.listTemplates(projectId, { limit: atATime(100), signal })) {
    templates.push(...page)
    if (templates.length >= MOST_TEMPLATES) break
  }
  return templates
}
