import type { RootOverview } from '../../src/contract/browsing.ts'
import { atATime, client } from './session.ts'
import { useAnswer } from './use-answer.ts'

/** So many names of schedules, and of templates, are read. A root of another one has no name in the list. */
const MOST = 100

/** What the schedule or the template of a root is called. Names are read if a root of the list has one. */
export function useOriginNames(
  projectId: string,
  roots: readonly RootOverview[],
): (root: RootOverview) => string | undefined {
  const isNeeded = roots.some(({ schedule, templateId }) => schedule ?? templateId)
  const { value } = useAnswer(isNeeded ? `names of origins ${projectId}` : '', async (signal) => {
    const options = { limit: atATime(MOST), signal }
    const [schedules, templates] = await Promise.all([
      client.listSchedules(projectId, options).next(),
      client.listTemplates(projectId, options).next(),
    ])
    return new Map([
      ...(templates.value ?? []).map(({ templateId, name }) => [templateId, name] as const),
      ...(schedules.value ?? []).map(({ scheduleId, name }) => [scheduleId, name] as const),
    ])
  })
  return ({ schedule, templateId }) => value?.get(schedule?.scheduleId ?? templateId ?? '')
}
