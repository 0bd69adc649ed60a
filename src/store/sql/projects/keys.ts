import { type Kysely, sql, type Transaction } from 'kysely'
import { AppError } from '../../../errors.ts'
import type { KeyPage, Store, StoredKey } from '../../store.ts'
import type { Database } from '../database.ts'
import type { Tables } from '../tables.ts'
import { requireProject } from './projects.ts'

export function createKeys(db: Database): Pick<Store, 'createKey' | 'listKeys' | 'revokeKey'> {
  return {
    createKey: (key) => db.transaction((transaction) => createKey(transaction, key)),
    listKeys: (page) => listKeys(db.read, page),
    revokeKey: (keyId, at) => db.transaction((transaction) => revokeKey(transaction, keyId, at)),
  }
}

async function createKey(transaction: Transaction<Tables>, key: StoredKey): Promise<void> {
  if (key.projectId !== undefined) await requireProject(transaction, key.projectId)
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('keys')
    .values({
      key_id: key.keyId,
      project_id: key.projectId ?? null,
      hash: key.hash,
      scope: key.scope,
      label: key.label,
      created: key.created,
      revoked: key.revoked ?? null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  if (numInsertedOrUpdatedRows === 0n) throw new AppError('conflict', `key ${key.keyId} exists already`)
}

async function listKeys(db: Kysely<Tables>, { projectId, after, limit }: KeyPage = {}): Promise<StoredKey[]> {
  let query = db.selectFrom('keys').selectAll().orderBy('created').orderBy('key_id')
  if (projectId !== undefined) query = query.where('project_id', '=', projectId)
  if (after) query = query.where(sql<boolean>`(created, key_id) > (${after.created}, ${after.keyId})`)
  if (limit !== undefined) query = query.limit(limit)
  return (await query.execute()).map((row) => ({
    keyId: row.key_id,
    projectId: row.project_id ?? undefined,
    scope: row.scope,
    label: row.label,
    created: row.created,
    revoked: row.revoked ?? undefined,
    hash: row.hash,
  }))
}

async function revokeKey(transaction: Transaction<Tables>, keyId: string, at: number): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('keys')
    .set(({ fn, val }) => ({ revoked: fn.coalesce('revoked', val(at)) }))
    .where('key_id', '=', keyId)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
