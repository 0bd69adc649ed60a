import { setImmediate as nextIteration, setTimeout as sleep } from 'node:timers/promises'
import { nameTarget, targetOf } from '../egress/target.ts'
import type { AttemptEnd, DeliveryTask, DueWebhook } from '../store/deliveries.ts'
import type { InTurn } from '../store/webhooks.ts'
import { AWAY_MS, openLoop } from '../work/loop.ts'
import { type AttemptRules, createAttempt } from './attempt.ts'
import { type Aim, Lanes, type Lesson } from './lanes.ts'
import { offAfter } from './retry.ts'
import { createWriteEnds } from './write-ends.ts'

/** Events of other processes, and attempts that become due, are seen within this time. */
const LOOK_MS = 2_000
/** Between two batches of events or attempts, so that captures and readers come in between. */
const BETWEEN_MS = 3
/** Events and webhooks of one batch. */
const EVENTS_AT_ONCE = 50
const WEBHOOKS_AT_ONCE = 20
/** Webhooks with something due that are read together. */
const DUE_AT_ONCE = 200
/** Attempts that begin in one iteration of the event loop: their content is read, rendered and signed. */
const STARTED_AT_ONCE = 1
/** Longer than any attempt takes. If its process dies, the delivery is sent again after this time. */
const LEASE_MS = 60_000
/** Then closing does not wait for the database. */
const CLOSE_MS = 20_000
/** When the service stops, attempts under way have this long to end. */
const GRACE_MS = 3_000

export interface DeliveringOptions extends Omit<AttemptRules, 'onAway' | 'writeEnd'> {
  readonly lookMs?: number | undefined
  readonly leaseMs?: number | undefined
  /** If every attempt has failed for this long, the webhook is switched off. */
  readonly offAfterMs?: number | undefined
  /** Each transaction is one piece: requests have their turns in between. */
  readonly inTurn?: InTurn | undefined
  /** The same for the results of attempts. */
  readonly endInTurn?: InTurn | undefined
}

export type Delivering = ReturnType<typeof openDelivering>

/** Notifies webhooks of events. Any number of processes can work on the same store. */
export function openDelivering(options: DeliveringOptions) {
  const { store, log, clock, lookMs = LOOK_MS, leaseMs = LEASE_MS, inTurn = (piece) => piece() } = options
  const { deliveries } = store
  const closing = new AbortController()
  const hurrying = new AbortController()
  const lanes = new Lanes()
  /** By delivery. */
  const running = new Map<string, Promise<void>>()
  /** When everything is looked at again. By the monotonic clock. */
  let lookAt = 0
  /** Until then nothing is begun: the storage is away. By the monotonic clock. */
  let awayUntil = 0
  /** By the monotonic clock. */
  let takenAt = 0
  /** The last webhook whose events were made into deliveries: the others come first. */
  let lastBehind: string | undefined
  const mayBegin = () => !closing.signal.aborted && performance.now() >= awayUntil
  const attempt = createAttempt({
    ...options,
    writeEnd: createWriteEnds(deliveries, {
      ...{ clock, inTurn: options.endInTurn ?? inTurn },
      offIf: (how, failing) => offAfter(how, failing, options.offAfterMs),
    }),
    onAway: () => {
      awayUntil = performance.now() + AWAY_MS
    },
  })

  const start = (task: DeliveryTask, aim: Aim): void => {
    const over = lanes.begin(aim)
    const ended = attempt(task, hurrying.signal)
      .then(
        (how) => over(lessonOf(how)),
        (error) => {
          over('nothing')
          log.error({ err: error, deliveryId: task.deliveryId }, 'an attempt at a delivery broke')
        },
      )
      .finally(() => {
        running.delete(task.deliveryId)
        loop.wake()
      })
    running.set(task.deliveryId, ended)
  }

  /** Begins what may be begun, webhook by webhook. Others come in between: SQLite works in this thread. */
  const takeAll = async (): Promise<void> => {
    takenAt = performance.now()
    for (let after: DueWebhook | undefined; mayBegin(); ) {
      const due = await deliveries.findDue({ now: clock(), after, limit: DUE_AT_ONCE })
      for (const webhook of lanes.inTurns(due.map(toAim))) {
        const most = lanes.roomFor(webhook)
        if (most === 0) continue
        if (!mayBegin()) return
        const { projectId, webhookId } = webhook
        const tasks = await inTurn(() =>
          deliveries.take({ projectId, webhookId }, { now: clock(), leaseMs, most }),
        )
        for (const [index, task] of tasks.entries()) {
          if (index % STARTED_AT_ONCE === 0) await nextIteration()
          start(task, webhook)
        }
        await nextIteration()
      }
      if (due.length < DUE_AT_ONCE) return
      after = due.at(-1)
    }
  }

  /** Whether there is more. */
  const spreadSome = async (): Promise<boolean> => {
    const behind = await deliveries.findBehind({ after: lastBehind, limit: WEBHOOKS_AT_ONCE })
    let isMore = behind.length === WEBHOOKS_AT_ONCE || lastBehind !== undefined
    lastBehind = behind.length === WEBHOOKS_AT_ONCE ? behind.at(-1)?.webhookId : undefined
    for (const key of behind) {
      const looked = await inTurn(() => deliveries.spread(key, { now: clock(), limit: EVENTS_AT_ONCE }))
      isMore ||= looked === EVENTS_AT_ONCE
      await nextIteration()
    }
    return isMore
  }

  /** How long to wait before the next look. */
  const look = async (): Promise<number> => {
    const left = lookAt - performance.now()
    if (left > 0) {
      // An attempt has ended: there is room for another. Those that end together are followed by one transaction.
      const early = takenAt + BETWEEN_MS - performance.now()
      if (early > 0) return Math.min(left, early)
      await takeAll()
      return Math.max(0, lookAt - performance.now())
    }
    lookAt = performance.now() + lookMs
    const work = await deliveries.findWork({ now: clock(), leaseMs })
    if (work.lost) {
      const lost = await deliveries.giveBackLost({ now: clock(), leaseMs, own: new Set(running.keys()) })
      if (lost > 0)
        log.warn({ deliveries: lost }, 'a process died while it delivered; the deliveries are sent again')
    }
    if (work.ahead) {
      const count = await deliveries.bringBack(clock())
      log.warn({ deliveries: count }, 'the clock was ahead; deliveries that waited for that time are due now')
    }
    const isMore = work.events && (await spreadSome())
    if (work.events || work.due || work.lost || work.ahead) await takeAll()
    if (isMore) lookAt = performance.now() + BETWEEN_MS
    return Math.max(0, lookAt - performance.now())
  }

  const loop = openLoop({
    name: 'deliveries',
    look: () =>
      look().catch((error) => {
        lookAt = 0
        throw error
      }),
    log,
  })
  return {
    /** Something has happened in this process: it looks at once. */
    wake() {
      lookAt = 0
      loop.wake()
    },
    /** Begins nothing more. Attempts that do not end soon are put back. */
    async close() {
      closing.abort()
      await loop.close(CLOSE_MS)
      await Promise.race([Promise.all(running.values()), sleep(GRACE_MS, undefined, { ref: false })])
      hurrying.abort(new Error('the service stops'))
      await Promise.all(running.values())
    },
  }
}

function toAim(webhook: DueWebhook): DueWebhook & Aim {
  const target = targetOf(webhook.url)
  return { ...webhook, receiver: target ? nameTarget(target) : webhook.url }
}

function lessonOf(how: AttemptEnd): Lesson {
  if (how.state === 'delivered') return 'well'
  return how.state === 'pending' || how.state === 'failed' ? 'failed' : 'nothing'
}
