import { setTimeout as sleep } from 'node:timers/promises'
import type { CaptureTask, UnderWay } from '../store/captures.ts'
import type { Store } from '../store/store.ts'
import { createLimiter } from '../work/limiter.ts'
import { openLoop } from '../work/loop.ts'
import { delayAfterDeath, isOurs, pauseAfter, type Queue, type QueueOptions, StoodStill } from './queue.ts'

/** A process renews the lease of its attempt. A lease that does not change for this long belongs to a dead process. */
const LEASE_MS = 20_000
/** Captures that other processes queued, or that became due, are seen within this time. */
const LOOK_MS = 1_000
/** Other processes leave captures of a command alone for this long, even if the command dies. */
const HOLD_MS = 10 * 60_000
/** Few at a time: renewing must not take the connections from readers, above all if the database is slow. */
const RENEWED_AT_ONCE = 3
/** Then closing does not wait for the database. Other processes take over when the leases are not renewed. */
const CLOSE_MS = 20_000
/** A suspect may kill its process, so nothing else is under way then. At most this often, others wait for suspects. */
const SUSPECTS_MS = 10_000
const TAKEN_OVER = 'another process has taken over a capture'

/** The rows of the store are the queue. Any number of processes can work on the same store. */
export function openQueue(
  captures: Store['captures'],
  {
    work,
    concurrency,
    extra = 0,
    log,
    clock = Date.now,
    mayNotBegin,
    leaseMs = LEASE_MS,
    ownOnly = false,
  }: QueueOptions,
): Queue {
  const closing = new AbortController()
  /** By attempt. */
  const running = new Map<string, Promise<void>>()
  const own = new Set<{ projectId: string; rootId: string }>()
  const renewals = createLimiter(RENEWED_AT_ONCE)
  /** A suspect is under way, and nothing else may begin. */
  let isAlone = false
  let suspectsSince = performance.now()

  const run = async (task: CaptureTask): Promise<void> => {
    const { rootId, position } = task
    const lease = keepLease(leaseMs / 4, () => renewals(() => captures.renew(task, clock() + leaseMs)))
    try {
      await work(task, AbortSignal.any([lease.lost, closing.signal]))
    } catch (error) {
      if (lease.lost.aborted) {
        log.warn({ rootId, position }, TAKEN_OVER)
        return
      }
      const stopped = closing.signal.aborted
      const died = error instanceof StoodStill
      const pause = stopped
        ? 0
        : died
          ? delayAfterDeath({ deaths: task.deaths + 1 })
          : pauseAfter(error, task)
      const counts = !stopped && !died && !isOurs(error)
      const isStillOurs = await captures
        .putBack(task, { now: clock(), due: clock() + pause, counts, died })
        .catch((cause) => {
          // Its lease is no longer renewed, so another process will put it back.
          log.error({ err: cause }, 'could not put a capture back into the queue')
          return true
        })
      if (!isStillOurs) log.warn({ rootId, position }, TAKEN_OVER)
      else if (!stopped) log.warn({ err: error, rootId, position }, 'a capture is tried again')
    } finally {
      lease.letGo()
    }
  }

  const takeNext = async (which: { idleOnly?: boolean; suspects?: boolean }) => {
    const lease = { now: clock(), leaseMs, ...which }
    if (!ownOnly) return await captures.takeNext(lease)
    for (const { rootId } of own) {
      const task = await captures.takeNext({ ...lease, rootId })
      if (task) return task
    }
    return undefined
  }

  const start = (task: CaptureTask): void => {
    const ended = run(task).finally(() => {
      running.delete(task.uuid)
      isAlone = false
      loop?.wake()
    })
    running.set(task.uuid, ended)
  }

  /** Whether a suspect has waited long enough. Then nothing else begins before it. */
  const hasSuspectWaited = async (): Promise<boolean> => {
    if (ownOnly || performance.now() - suspectsSince < SUSPECTS_MS) return false
    if (await captures.anySuspect(clock())) return true
    suspectsSince = performance.now()
    return false
  }

  const takeSuspect = async (): Promise<void> => {
    if (!(await captures.anySuspect(clock()))) return
    suspectsSince = performance.now()
    const task = await takeNext({ suspects: true })
    if (!task) return
    isAlone = true
    start(task)
  }

  const takeAll = async (): Promise<void> => {
    while (!closing.signal.aborted && !isAlone && running.size < concurrency + extra) {
      // A cheap query first: almost always nothing waits.
      if (!(await captures.anyUnfinished())) return
      if (await mayNotBegin?.()) return
      const idleOnly = running.size >= concurrency
      const task = (await hasSuspectWaited()) ? undefined : await takeNext({ idleOnly })
      if (task) start(task)
      else if (running.size === 0) return await takeSuspect()
      else return
    }
  }

  const findLost = createFindLost(leaseMs)
  /** Captures of dead processes go back to the queue. */
  const giveBackLost = async (): Promise<void> => {
    if (!(await captures.anyUnfinished())) return
    const others = (await captures.findUnderWay()).filter(({ uuid }) => !running.has(uuid))
    for (const attempt of findLost(others, performance.now())) {
      const { rootId, position } = attempt
      const deaths = attempt.deaths + 1
      const now = clock()
      const due = now + delayAfterDeath({ deaths })
      if (!(await captures.putBack(attempt, { now, due, counts: false, died: true }))) continue
      log.warn(
        { rootId, position, deaths },
        'a process died while it captured a page; the page is tried again',
      )
      loop?.wake()
    }
  }

  /** Runs while the queue is open, on its own: leases must be read regularly, even if all slots are busy. */
  const lookForLost = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      await sleep(leaseMs / 8, undefined, { signal: closing.signal, ref: false }).catch(() => {})
      // If the database is away, taking the next page reports it.
      if (!closing.signal.aborted) await giveBackLost().catch(() => {})
    }
  }

  const look = async (): Promise<number> => {
    await takeAll()
    return LOOK_MS
  }

  const loop = concurrency > 0 ? openLoop({ name: 'the queue', look, log }) : undefined
  if (concurrency > 0 && !ownOnly) void lookForLost()
  return {
    ...(ownOnly && { heldUntil: (now: number) => now + HOLD_MS }),
    wake(root) {
      // Never removed: only a command fills this set, and it ends soon.
      if (ownOnly) own.add(root)
      loop?.wake()
    },
    async close() {
      closing.abort(new Error('the service stops'))
      await loop?.close(CLOSE_MS, () => Promise.all(running.values()))
      if (ownOnly) for (const root of own) await captures.letGo(root, clock()).catch(() => {})
    },
  }
}

/**
 * Renews a lease regularly, until it is released. `renew` returns whether it is still ours. `lost` is aborted when another process has
 * taken over.
 */
function keepLease(everyMs: number, renew: () => Promise<boolean>) {
  const lost = new AbortController()
  let isRenewing = false
  const renewOnce = async () => {
    if (isRenewing) return
    isRenewing = true
    try {
      if (!(await renew())) lost.abort(new Error('another process has taken over this capture'))
    } catch {
      // The next renewal may succeed. If none does, the store refuses the end of the capture.
    } finally {
      isRenewing = false
    }
  }
  const timer = setInterval(() => void renewOnce(), everyMs)
  return { lost: lost.signal, letGo: () => clearInterval(timer) }
}

/** By attempt. `since`: when this process last saw a change. */
type SeenLeases = Map<string, { readonly lease: number; readonly since: number }>

/**
 * Finds the attempts whose processes have died: their leases have not changed for `lostMs`. That time is measured by the monotonic clock of
 * this process. Other clocks are not used: they jump, and differ between machines. Must be asked regularly, with all attempts under way in
 * other processes.
 */
export function createFindLost(lostMs: number): (underWay: readonly UnderWay[], now: number) => UnderWay[] {
  let seen: SeenLeases = new Map()
  let looked = Number.NEGATIVE_INFINITY
  return (underWay, now) => {
    // After a long gap, leases prove nothing: this process stood still, or no process could reach the database to renew.
    const before: SeenLeases = now - looked > lostMs / 2 ? new Map() : seen
    looked = now
    seen = new Map(
      underWay.map(({ uuid, lease }) => {
        const known = before.get(uuid)
        return [uuid, known?.lease === lease ? known : { lease, since: now }]
      }),
    )
    return underWay.filter(({ uuid }) => now - (seen.get(uuid)?.since ?? now) >= lostMs)
  }
}
