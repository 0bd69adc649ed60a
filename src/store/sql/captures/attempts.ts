import { randomUUID } from 'node:crypto'
import { type RawBuilder, sql, type Updateable } from 'kysely'
import { hasSecrets } from '../../../contract/options/secrets.ts'
import { optionsOfPage } from '../../../contract/options-of-page.ts'
import type { Attempt, Captured, CaptureKey, CaptureTask, Failed, PutBack } from '../../captures.ts'
import { type Database, Overtaken, ofCapture, ofRoot, type Transaction, update } from '../database.ts'
import { changeProject, newRevision } from '../projects/projects.ts'
import type { Tables } from '../tables.ts'
import { countMarks, readOptions, readOwnOptions } from './columns.ts'
import { type DueOptions, isDue, isOf } from './due.ts'
import { appendEvents, finishIfLast, type NewEvent } from './events.ts'
import { raiseVersion } from './requests.ts'
import { charge } from './turns.ts'

/** Longer than any attempt takes. */
const LONGEST_ATTEMPT_MS = 10 * 60_000

export function createAttempts(db: Database) {
  return {
    /** False if the attempt is not the last one any more. */
    async renew(attempt: Attempt, until: number): Promise<boolean> {
      const lease = await db.timeAt(until)
      return await db.transaction((transaction) =>
        update(transaction, 'captures', { lease }, ofCapture(attempt), isOf(attempt)),
      )
    },

    /**
     * Ends the capture, deletes its sealed secrets, and adds its job if it succeeded. If it was the last capture of the root, the same
     * transaction finishes the root. It also writes the events of both. False if the attempt is not the last one any more: then
     * nothing changes.
     */
    async finish(attempt: Attempt, outcome: Captured | Failed, at: number): Promise<boolean> {
      const now = await db.timeAt(at)
      const failed = 'reason' in outcome ? outcome : undefined
      const { seen } = outcome
      return await db.transaction(async (transaction) => {
        const ended = await change(transaction, attempt, isOf(attempt), { now, ends: true }, () => ({
          state: failed ? 'failed' : 'done',
          finished: now,
          lease: null,
          reason: failed?.reason ?? null,
          detail: failed?.detail ?? null,
          cut: seen?.marks.includes('cut') ? 1 : 0,
          seen: seen ? JSON.stringify(seen) : null,
        }))
        if (!ended) return false
        await transaction.deleteFrom('secrets').where(ofCapture(attempt)).execute()
        if (seen && seen.marks.length > 0) {
          const marks = countMarks(ended.request.marks, [seen])
          await update(transaction, 'requests', { marks }, ofRoot(attempt))
        }
        if (!('reason' in outcome)) await addJob(transaction, attempt, { ...ended.capture, ...outcome }, now)
        const { position } = attempt
        const events: NewEvent[] = [{ kind: failed ? 'page.failed' : 'page.done', position }]
        if (await finishIfLast(transaction, attempt, now)) events.push({ kind: 'root.finished' })
        await appendEvents(transaction, attempt, events, now)
        return true
      })
    },

    /**
     * Puts the capture back into the queue, not before `due`. `counts`: the attempt counts against the page. `died`: its process
     * died, which is counted separately. False if the attempt is not the last one any more.
     */
    async putBack(attempt: Attempt, { counts, died = false, ...times }: PutBack): Promise<boolean> {
      const skew = await db.skew()
      const [now, due] = [times.now + skew, times.due + skew]
      const changed = await db.transaction((transaction) =>
        change(transaction, attempt, isOf(attempt), { now }, ({ attempts, deaths }) => ({
          state: 'queued',
          // So this attempt cannot end the capture any more.
          attempt: null,
          attempts: counts ? attempts : attempts - 1,
          deaths: died ? deaths + 1 : deaths,
          lease: null,
          started: null,
          due,
        })),
      )
      return changed !== undefined
    },
  }
}

/** Begins an attempt at a capture that is due. `written`: what its project had used when it was chosen. */
export async function begin(
  transaction: Transaction,
  key: CaptureKey,
  {
    now,
    leaseMs,
    written,
    ...which
  }: DueOptions & Pick<ChangeOptions, 'now' | 'written'> & { leaseMs: number },
): Promise<CaptureTask | undefined> {
  const uuid = randomUUID()
  const rules = { now, begins: true, written }
  const begun = await change(transaction, key, isDue(now, which), rules, ({ attempts }) => ({
    state: 'running',
    attempts: attempts + 1,
    attempt: uuid,
    started: now,
    lease: now + leaseMs,
  }))
  if (!begun) return undefined
  const { capture, request } = begun
  const options = optionsOfPage(readOptions(request.options), readOwnOptions(capture.own_options))
  const secrets = transaction.selectFrom('secrets').select('sealed').where(ofCapture(key))
  return {
    ...key,
    uuid,
    url: capture.url,
    name: capture.name,
    loadingTime: capture.loading_time,
    options,
    ...(hasSecrets(options) && { sealed: (await secrets.executeTakeFirst())?.sealed }),
    attempts: capture.attempts + 1,
    deaths: capture.deaths,
  }
}

interface ChangeOptions {
  readonly now: number
  readonly begins?: boolean
  readonly ends?: boolean
  readonly written?: number | undefined
}

/**
 * Changes a capture if `condition` still holds, and raises the version of its request. Rows are always locked in the same
 * order, so that transactions cannot block each other: the capture, the turns of its project, the request, the root, the
 * project.
 */
async function change(
  transaction: Transaction,
  key: CaptureKey,
  condition: RawBuilder<boolean>,
  { now, ...how }: ChangeOptions,
  set: (before: { attempts: number; deaths: number }) => Updateable<Tables['captures']>,
) {
  // This update only locks the row, so that the values read stay true.
  const capture = await transaction
    .updateTable('captures')
    .set(({ ref }) => ({ changed: ref('changed') }))
    .where(ofCapture(key))
    .where(condition)
    .returning(['url', 'name', 'loading_time', 'own_options', 'attempts', 'deaths', 'started', 'lease'])
    .executeTakeFirst()
  if (!capture) return undefined
  const charged = await charge(transaction, key.projectId, { elapsed: usedUntil(now, capture), ...how })
  // Another process took a page of this project at the same time. The next project must be chosen again.
  if (!charged && how.written !== undefined) throw new Overtaken()
  const request = await raiseVersion(transaction, key)
  await update(transaction, 'captures', { ...set(capture), changed: request.version }, ofCapture(key))
  return { capture, request }
}

/**
 * How long the attempt has taken. A lost attempt counts until its lease ended, at most. The limits keep a clock that jumps
 * from taking turns away from a project.
 */
export function usedUntil(
  now: number,
  { started, lease }: Pick<Tables['captures'], 'started' | 'lease'>,
): number {
  if (started === null) return 0
  return Math.min(LONGEST_ATTEMPT_MS, Math.max(0, Math.min(now, lease ?? now) - started))
}

async function addJob(
  transaction: Transaction,
  { projectId, rootId, position, uuid }: Attempt,
  capture: Captured & Pick<Tables['captures'], 'url' | 'name' | 'loading_time'>,
  now: number,
): Promise<void> {
  const { url, name, loading_time, width, height, basepath } = capture
  await transaction
    .insertInto('jobs')
    .values({
      ...{ project_id: projectId, root_id: rootId, position, uuid, url, name, loading_time },
      ...{ created: now, basepath, width, height },
    })
    .execute()
  const more = { job_count: sql<number>`job_count + 1`, revision: newRevision() }
  await update(transaction, 'roots', more, ofRoot({ projectId, rootId }))
  await changeProject(transaction, projectId)
}
