import type { OwnedTable } from '../../store/store.ts'
import type { Transfer } from './transfer.ts'

/** How many of each kind were copied. */
export type CopiedKept = Record<OwnedTable, number>

/** Copies what a project owns, if it is not there: its templates, schedules and webhooks. */
export async function copyKept({ from, to }: Transfer, projectId: string): Promise<CopiedKept> {
  const copied: Partial<CopiedKept> = {}
  for (const [table, here] of tablesOf(from)) {
    const there = to.store.owned[table] as typeof here
    copied[table] = 0
    for await (const row of here.all(projectId)) if (await there.adopt(row)) copied[table]++
  }
  return copied as CopiedKept
}

/** Differences at the target: `template 5f0c…`. Pauses and past runs or deliveries are not compared. */
export async function findOtherKept({ from, to }: Transfer, projectId: string): Promise<string[]> {
  const other: string[] = []
  for (const [table, here] of tablesOf(from)) {
    const there = to.store.owned[table] as typeof here
    const kind = table.slice(0, -1)
    for await (const row of here.all(projectId))
      if (!(await there.hasSame(row))) other.push(`${kind} ${row[`${kind}_id` as 'template_id']}`)
  }
  return other
}

function tablesOf({ store: { owned } }: Transfer['from']) {
  return Object.entries(owned) as [OwnedTable, (typeof owned)['templates']][]
}
