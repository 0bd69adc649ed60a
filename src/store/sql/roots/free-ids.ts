import { randomUUID } from 'node:crypto'
import type { Kysely, Transaction } from 'kysely'
import { AppError } from '../../../errors.ts'
import type { NewRoot } from '../../store.ts'
import type { Tables } from '../tables.ts'
import { claim, releaseClaim, renewClaim } from './claims.ts'
import { holdClaim } from './hold-claim.ts'

/** See `Store.findTaken`. */
export async function findTaken(
  db: Kysely<Tables>,
  projectId: string,
  uuids: readonly string[],
): Promise<Set<string>> {
  if (uuids.length === 0) return new Set()
  const rows = await db
    .selectFrom('jobs')
    .select('uuid')
    .where('project_id', '=', projectId)
    .where('uuid', 'in', uuids)
    .execute()
  return new Set(rows.map(({ uuid }) => uuid))
}

export type Transact = <T>(work: (transaction: Transaction<Tables>) => Promise<T>) => Promise<T>

/** See `Store.whileFree`. The ids are claimed for a root that is never shown. */
export async function whileFree(
  { transact, clock }: { transact: Transact; clock: () => number },
  { projectId, uuids }: { projectId: string; uuids: readonly string[] },
  work: (stillOurs: () => void) => Promise<void>,
): Promise<boolean> {
  const root = rootOfNothing(projectId, uuids)
  try {
    await transact((transaction) => claim(transaction, root, clock()))
  } catch (error) {
    if (error instanceof AppError && error.code === 'conflict') return false
    throw error
  }
  const held = holdClaim(() => transact((transaction) => renewClaim(transaction, root, clock())))
  try {
    await work(held.stillOurs)
  } finally {
    held.letGo()
    await transact((transaction) => releaseClaim(transaction, root, clock())).catch(() => {})
  }
  return true
}

function rootOfNothing(projectId: string, uuids: readonly string[]): NewRoot {
  const [rootId, created] = [randomUUID(), 0]
  const nothing = { url: '', name: '', loadingTime: 0, created, basepath: '', width: 0, height: 0 }
  return { projectId, rootId, created, digest: rootId, jobs: uuids.map((uuid) => ({ uuid, ...nothing })) }
}
