import type { Kysely, Transaction } from 'kysely'
import type {
  Attempt,
  Captured,
  CaptureKey,
  CaptureProgress,
  Captures,
  CaptureTask,
  Failed,
  NewRequest,
  RootProgress,
} from '../captures.ts'
import { begin, end, findDue, isDue, isOf, isUnfinished, release, requeue } from './attempts.ts'
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
export class SqlCaptures implements Omit<Captures, 'anyUnfinished' | 'findBacklog'> {
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

  async anyDueSince(then: number): Promise<boolean> {
    const due = this.#read
      .selectFrom('captures')
      .select('position')
      .where(isDue(then, { held: false }))
      .where('queued', '<=', then)
      .limit(1)
    return (await due.executeTakeFirst()) !== undefined
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
    const request = await this.#read
      .selectFrom('requests')
      .innerJoin('roots', (join) =>
        join
          .onRef('roots.project_id', '=', 'requests.project_id')
          .onRef('roots.root_id', '=', 'requests.root_id'),
      )
      .select(['roots.created', 'idempotency_key', 'width', 'height', 'full_page', 'fail_on', 'tags'])
      .where('requests.project_id', '=', projectId)
      .where('requests.root_id', '=', rootId)
      .executeTakeFirst()
    if (!request) return undefined
    const rows = await this.#read
      .selectFrom('captures')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('root_id', '=', rootId)
      .orderBy('position')
      .execute()
    const captures = rows.map(toProgress)
    // Whatever happened last happened to one of them.
    const version = captures.reduce((last, { changed }) => Math.max(last, changed), 0)
    return {
      created: request.created,
      idempotencyKey: request.idempotency_key ?? undefined,
      width: request.width,
      height: request.height,
      fullPage: request.full_page === 1,
      failOnStatus: request.fail_on === 'status',
      tags: JSON.parse(request.tags),
      version,
      captures,
    }
  }

  async adopt(projectId: string, rootId: string, progress: RootProgress): Promise<void> {
    await this.#transaction((transaction) => adoptRequest(transaction, projectId, rootId, progress))
  }

  async findVersions(roots: readonly RootKey[]): Promise<(number | undefined)[]> {
    if (roots.length === 0) return []
    const rows = await this.#read
      .selectFrom('requests')
      .select(['project_id', 'root_id', 'version'])
      .where('project_id', 'in', [...new Set(roots.map(({ projectId }) => projectId))])
      .where('root_id', 'in', [...new Set(roots.map(({ rootId }) => rootId))])
      .execute()
    const found = new Map(rows.map(({ project_id, root_id, version }) => [project_id + root_id, version]))
    return roots.map(({ projectId, rootId }) => found.get(projectId + rootId))
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

function toProgress(row: Schema['captures']): CaptureProgress {
  return {
    position: row.position,
    url: row.url,
    name: row.name,
    loadingTime: row.loading_time,
    state: row.state,
    attempts: row.attempts,
    uuid: row.state === 'done' ? (row.attempt ?? undefined) : undefined,
    failed: row.reason === null ? undefined : { reason: row.reason, detail: row.detail ?? '' },
    seen: row.seen === null ? undefined : JSON.parse(row.seen),
    cut: row.cut === 1,
    queued: row.queued,
    started: row.started ?? undefined,
    finished: row.finished ?? undefined,
    changed: row.changed,
  }
}
