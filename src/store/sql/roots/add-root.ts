import { randomUUID } from 'node:crypto'
import { AppError } from '../../../errors.ts'
import type { NewRoot } from '../../rows.ts'
import { type Database, ofRoot } from '../database.ts'
import { requireProject } from '../projects/projects.ts'
import { claim, releaseClaim, renewClaim, STALE_MS, showRoot } from './claims.ts'

const RENEW_MS = 15_000
/** Well before other imports may take over the claim. */
const TRUSTED_MS = STALE_MS / 2

/** Adds roots that were captured elsewhere. */
export function createAdding(db: Database) {
  const hold = (root: NewRoot) =>
    holdClaim(() => db.transaction((transaction) => renewClaim(transaction, root, db.clock())))
  const release = async (root: NewRoot) => {
    await db.transaction((transaction) => releaseClaim(transaction, root, db.clock())).catch(() => {})
  }
  return {
    /**
     * Adds a root with all its jobs, or nothing. `publish` makes the pictures durable under their keys. It runs after the ids
     * are claimed for this root, and before the root is shown. It may take long: no other writer waits for it. Before each
     * picture it calls `stillOurs`, which throws if another process may own the ids now. If `publish` throws, nothing is
     * added. Returns `present` if the same root was added before, or by another process at the same time. Throws `conflict`
     * if the root or a job exists with other content, `not_found` if the project does not exist.
     */
    async addRoot(
      root: NewRoot,
      publish: (stillOurs: () => void) => Promise<void>,
    ): Promise<'added' | 'present'> {
      await requireProject(db.read, root.projectId)
      const outcome = await db.transaction((transaction) => claim(transaction, root, db.clock()))
      if (outcome === 'present') return outcome
      const held = hold(root)
      try {
        await publish(held.stillOurs)
      } catch (error) {
        // Another import that shares the claim may have shown the root.
        if (held.isLost() && (await isShown(db, root))) return 'present'
        // If S3 or the database did not answer, pictures may still arrive. Then the ids stay claimed until the claim is stale.
        if (!(error instanceof AppError) || error.code !== 'unavailable') await release(root)
        throw error
      } finally {
        held.letGo()
      }
      if (await db.transaction((transaction) => showRoot(transaction, root))) return 'added'
      if (await isShown(db, root)) return 'present'
      throw lostClaim()
    },

    /** Which of these are ids of jobs, including jobs of a root that is being added. */
    async findTaken(projectId: string, uuids: readonly string[]): Promise<Set<string>> {
      if (uuids.length === 0) return new Set()
      const rows = await db.read
        .selectFrom('jobs')
        .select('uuid')
        .where('project_id', '=', projectId)
        .where('uuid', 'in', uuids)
        .execute()
      return new Set(rows.map(({ uuid }) => uuid))
    },

    /**
     * Runs `work` while no job has these ids, and no new root can take them. `stillOurs` as above. False if one of the ids is
     * taken: then `work` did not run.
     */
    async whileFree(
      projectId: string,
      uuids: readonly string[],
      work: (stillOurs: () => void) => Promise<void>,
    ): Promise<boolean> {
      const root = rootOfNothing(projectId, uuids)
      try {
        await db.transaction((transaction) => claim(transaction, root, db.clock()))
      } catch (error) {
        if (error instanceof AppError && error.code === 'conflict') return false
        throw error
      }
      const held = hold(root)
      try {
        await work(held.stillOurs)
      } finally {
        held.letGo()
        await release(root)
      }
      return true
    },
  }
}

async function isShown(db: Database, root: NewRoot): Promise<boolean> {
  const shown = db.read.selectFrom('roots').select('digest').where(ofRoot(root)).where('claimed', 'is', null)
  return (await shown.executeTakeFirst())?.digest === root.digest
}

/** It claims ids, and is never shown. */
function rootOfNothing(projectId: string, uuids: readonly string[]): NewRoot {
  const [rootId, created] = [randomUUID(), 0]
  const nothing = { url: '', name: '', loadingTime: 0, created, basepath: '', width: 0, height: 0 }
  return { projectId, rootId, created, digest: rootId, jobs: uuids.map((uuid) => ({ uuid, ...nothing })) }
}

/**
 * Renews a claim while its pictures are published. `stillOurs` throws if the claim may be lost: a renewal did not find it, or
 * none succeeded for long, as in a process that was frozen.
 */
function holdClaim(renew: () => Promise<boolean>) {
  let renewed = performance.now()
  let lost = false
  const timer = setInterval(() => {
    const asked = performance.now()
    renew().then(
      (ours) => {
        if (ours) renewed = asked
        else lost = true
      },
      // The next renewal may succeed. Otherwise `stillOurs` throws.
      () => {},
    )
  }, RENEW_MS)
  const isLost = () => lost || performance.now() - renewed > TRUSTED_MS
  return {
    isLost,
    stillOurs(): void {
      if (isLost()) throw lostClaim()
    },
    letGo: () => clearInterval(timer),
  }
}

function lostClaim(): AppError {
  return new AppError(
    'unavailable',
    'storing the pictures was interrupted for too long; import the root again',
  )
}
