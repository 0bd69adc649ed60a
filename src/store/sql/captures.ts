import type { Kysely, Transaction } from 'kysely'
import type {
  Attempt,
  Captured,
  CaptureKey,
  Captures,
  CaptureTask,
  Changes,
  Failed,
  NewRequest,
  RootProgress,
} from '../captures.ts'
import { begin, end, findDue, isDue, isOf, isUnfinished, release, requeue } from './attempts.ts'
import { findChanges, findProgress } from './progress.ts'
import type { RootKey } from './reads.ts'
import {
  addRequest,
  adoptRequest,
  executeWithin,
  findAccepted,
  queuePages,
  requireProjectRow,
} from './requests.ts'
import type { Schema } from './schema.ts'

/** Requests and their captures, by queries that serve every engine. */
export class SqlCaptures implements Omit<Captures, 'anyUnfinished' | 'findVersion' | 'findVersions'> {
  readonly #read: Kysely<Schema>
  readonly #write: Kysely<Schema>

  constructor({ read, write }: { read: Kysely<Schema>; write: Kysely<Schema> }) {
    this.#read = read
    this.#write = write
  }

  async accept(request: NewRequest, also?: Parameters<Captures['accept']>[1]): Promise<string> {
    for (;;) {
      const accepted = await this.#transaction(async (transaction) => {
        await requireProjectRow(transaction, request.projectId)
        const before = await findAccepted(transaction, request)
        if (before !== undefined) return before
        if (!(await addRequest(transaction, request))) throw new KeyTaken()
        const queued = await queuePages(transaction, request)
        await also?.(queued, executeWithin(transaction))
        return request.rootId
      }).catch(unlessKeyTaken)
      if (accepted !== undefined) return accepted
    }
  }

  async takeNext({
    now,
    leaseMs,
    rootId,
  }: Parameters<Captures['takeNext']>[0]): Promise<CaptureTask | undefined> {
    return await this.#transaction(async (transaction) => {
      for (;;) {
        const key = await findDue(transaction, now, rootId)
        const task =
          key && (await begin(transaction, key, isDue(now, { held: rootId !== undefined }), { now, leaseMs }))
        // Where another was faster there may be a next one.
        if (task || !key) return task
      }
    })
  }

  async take(key: CaptureKey, lease: { now: number; leaseMs: number }): Promise<CaptureTask | undefined> {
    return await this.#transaction((transaction) => begin(transaction, key, isUnfinished, lease))
  }

  async renew(attempt: Attempt, until: number): Promise<boolean> {
    const { numUpdatedRows } = await this.#transaction((transaction) =>
      transaction
        .updateTable('captures')
        .set({ lease: until })
        .where('project_id', '=', attempt.projectId)
        .where('root_id', '=', attempt.rootId)
        .where('position', '=', attempt.position)
        .where(isOf(attempt))
        .executeTakeFirst(),
    )
    return numUpdatedRows > 0n
  }

  async finish(attempt: Attempt, outcome: Captured | Failed, now: number): Promise<boolean> {
    return await this.#transaction((transaction) => end(transaction, attempt, outcome, now))
  }

  async letGo(root: RootKey): Promise<void> {
    await this.#transaction((transaction) => release(transaction, root))
  }

  async putBack(attempt: Attempt, options: { due: number; counts: boolean }): Promise<void> {
    await this.#transaction((transaction) => requeue(transaction, attempt, options))
  }

  async findProgress(projectId: string, rootId: string): Promise<RootProgress | undefined> {
    return await findProgress(this.#read, projectId, rootId)
  }

  async findChanges(projectId: string, rootId: string, since: number): Promise<Changes | undefined> {
    return await findChanges(this.#read, projectId, rootId, since)
  }

  async adopt(projectId: string, rootId: string, progress: RootProgress): Promise<void> {
    await this.#transaction((transaction) => adoptRequest(transaction, projectId, rootId, progress))
  }

  async #transaction<T>(work: (transaction: Transaction<Schema>) => Promise<T>): Promise<T> {
    return await this.#write.transaction().execute(work)
  }
}

/** Another request with the same idempotency key was accepted in the same moment: this one begins again. */
class KeyTaken extends Error {}

function unlessKeyTaken(error: unknown): undefined {
  if (!(error instanceof KeyTaken)) throw error
}
