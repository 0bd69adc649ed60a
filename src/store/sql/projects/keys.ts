import { sql } from 'kysely'
import { AppError } from '../../../errors.ts'
import type { KeyPage, StoredKey } from '../../rows.ts'
import { type Database, insertNew, update } from '../database.ts'
import { fromRow } from '../tables.ts'
import { requireProject } from './projects.ts'

export function createKeys(db: Database) {
  return {
    /** Throws `not_found` if the project does not exist, `conflict` if the key exists. */
    async createKey({ keyId, projectId, hash, scope, label, created, revoked }: StoredKey): Promise<void> {
      const owner = { key_id: keyId, project_id: projectId ?? null }
      const row = { ...owner, hash, scope, label, created, revoked: revoked ?? null }
      await db.transaction(async (transaction) => {
        if (projectId !== undefined) await requireProject(transaction, projectId)
        const isNew = await insertNew(transaction, 'keys', row)
        if (!isNew) throw new AppError('conflict', `key ${keyId} exists already`)
      })
    },

    /** Oldest first, then by id, including revoked keys. Those of all projects, or of one; all of them, or some after `after`. */
    async listKeys({ projectId, after, limit }: KeyPage = {}): Promise<StoredKey[]> {
      let query = db.read.selectFrom('keys').selectAll().orderBy('created').orderBy('key_id')
      if (projectId !== undefined) query = query.where('project_id', '=', projectId)
      if (after) query = query.where(sql<boolean>`(created, key_id) > (${after.created}, ${after.keyId})`)
      if (limit !== undefined) query = query.limit(limit)
      return (await query.execute()).map((row) => fromRow(row))
    },

    /** False if there is no such key. If it was revoked before, the first time is kept. */
    async revokeKey(keyId: string, at: number): Promise<boolean> {
      const revoked = sql<number>`coalesce(revoked, ${at})`
      return await db.transaction((transaction) =>
        update(transaction, 'keys', { revoked }, sql`key_id = ${keyId}`),
      )
    },
  }
}
