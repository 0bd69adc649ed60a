import { isDeepStrictEqual } from 'node:util'
import { AppError } from '../../errors.ts'
import type { OwnedTable } from '../../store/store.ts'
import type { Transfer } from './transfer.ts'

/** How many templates, schedules and webhooks were copied. */
export type CopiedKept = Record<OwnedTable, number>

/** Copies the project, its keys, and what it keeps, but no roots. */
export async function copyProject({ from, to }: Transfer, projectId: string): Promise<CopiedKept> {
  const project = await from.store.findProject(projectId)
  if (project && !(await to.store.findProject(projectId))) {
    await to.store.createProject(project).catch(ignoreConflict)
  }
  const there = new Map((await to.store.listKeys({ projectId })).map((key) => [key.keyId, key]))
  for (const key of await from.store.listKeys({ projectId })) {
    const known = there.get(key.keyId)
    if (!known) await to.store.createKey(key).catch(ignoreConflict)
    else if (key.revoked !== undefined && known.revoked === undefined)
      await to.store.revokeKey(key.keyId, key.revoked)
  }
  const copied = {} as CopiedKept
  for (const [table, rows] of tablesOf(from)) {
    const copies = to.store.owned[table] as typeof rows
    copied[table] = 0
    for await (const row of rows.all(projectId)) if (await copies.adopt(row)) copied[table]++
  }
  return copied
}

/** Another process copies the same. */
function ignoreConflict(error: unknown): void {
  if (!(error instanceof AppError) || error.code !== 'conflict') throw error
}

/** What differs at the target, and how. Pauses and past runs or deliveries are not compared. */
export async function compareProject(
  { from, to }: Transfer,
  projectId: string,
): Promise<readonly (readonly [where: string, how: string])[]> {
  const differences: [string, string][] = []
  const [here, there] = [await from.store.findProject(projectId), await to.store.findProject(projectId)]
  const copies = new Map((await to.store.listKeys({ projectId })).map((key) => [key.keyId, key]))
  const keys = await from.store.listKeys({ projectId })
  const other = keys.find((key) => !isDeepStrictEqual(copies.get(key.keyId), key))
  if (here?.name !== there?.name || here?.created !== there?.created)
    differences.push([`project ${projectId}`, 'has another name or creation time there'])
  else if (other)
    differences.push([`project ${projectId}`, `has a key ${other.keyId} that is not the same there`])
  for (const [table, rows] of tablesOf(from)) {
    const copied = to.store.owned[table] as typeof rows
    const kind = table.slice(0, -1)
    for await (const row of rows.all(projectId))
      if (!(await copied.hasSame(row)))
        differences.push([`${kind} ${row[`${kind}_id` as 'template_id']}`, 'is not the same there'])
  }
  return differences
}

function tablesOf({ store: { owned } }: Transfer['from']) {
  return Object.entries(owned) as [OwnedTable, (typeof owned)['templates']][]
}
