import type { RootOverview } from '../../src/contract/browsing.ts'
import { atATime, client } from './session.ts'
import { useAnswer } from './use-answer.ts'

/** The most names of schedules, and of templates, that are read. Roots of others show no name in the list. */
const MOST = 100

/** The name of the schedule or the template of a root. Names are read only if the list has such a root. */
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
