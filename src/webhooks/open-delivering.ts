import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { cannotWrite } from '../errors.ts'
import type { DeliveryTask } from '../store/deliveries.ts'
import type { Store } from '../store/store.ts'
import { type AttemptRules, createAttempt } from './attempt.ts'
import type { DeliveryFigures } from './figures.ts'
import { Lanes } from './lanes.ts'

/** Events of other processes, and attempts that become due, are seen so much later, at most. */
const LOOK_MS = 2_000
/** The pause after the store could not be read. */
const AWAY_MS = 5_000
/** Between two batches of events, so that captures and readers come in between. */
const BETWEEN_MS = 20
/** Events and webhooks of one batch. */
const EVENTS_AT_ONCE = 50
const WEBHOOKS_AT_ONCE = 20
/** Longer than any attempt takes. If its process dies, the delivery is sent again after this time. */
const LEASE_MS = 60_000
/** When the service stops, attempts under way have so much time to end. */
const GRACE_MS = 3_000

export interface DeliveringOptions extends Omit<AttemptRules, 'onAway'> {
  readonly store: AttemptRules['store'] & Pick<Store, 'deliveries'>
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly lookMs?: number | undefined
  readonly leaseMs?: number | undefined
}

/** Tells webhooks what has happened. Any number of processes can work on the same store. */
export interface Delivering {
  readonly figures: DeliveryFigures
  /** Something has happened in this process: it looks at once. */
  wake(): void
  /** Begins nothing more. Attempts that do not end soon are put back. */
  close(): Promise<void>
}

export function openDelivering(options: DeliveringOptions): Delivering {
  const { store, log, clock, lookMs = LOOK_MS, leaseMs = LEASE_MS } = options
  const { deliveries } = store
  const closing = new AbortController()
  const hurrying = new AbortController()
  const lanes = new Lanes()
  const running = new Set<Promise<void>>()
  let doze = new AbortController()
  /** Until then nothing is begun: the storage is away. By the monotonic clock. */
  let awayUntil = 0
  const wake = () => doze.abort()
  const attempt = createAttempt({
    ...options,
    onAway: () => {
      awayUntil = performance.now() + AWAY_MS
    },
  })

  const start = (task: DeliveryTask): void => {
    const over = lanes.begin(task.webhookId, task.webhook.failingSince !== undefined)
    const ended: Promise<void> = attempt(task, hurrying.signal)
      .catch((error) =>
        log.error({ err: error, deliveryId: task.deliveryId }, 'an attempt at a delivery broke'),
      )
      .finally(() => {
        over()
        running.delete(ended)
        wake()
      })
    running.add(ended)
  }

  const takeAll = async (): Promise<void> => {
    while (!closing.signal.aborted && performance.now() >= awayUntil) {
      const room = lanes.room()
      const task = room && (await deliveries.takeNext({ now: clock(), leaseMs, ...room }))
      if (!task) return
      start(task)
    }
  }

  /** Whether there is more. */
  const spreadSome = async (): Promise<boolean> => {
    const behind = await deliveries.findBehind(WEBHOOKS_AT_ONCE)
    let isMore = behind.length === WEBHOOKS_AT_ONCE
    for (const key of behind) {
      const looked = await deliveries.spread(key, { now: clock(), limit: EVENTS_AT_ONCE })
      isMore ||= looked === EVENTS_AT_ONCE
    }
    return isMore
  }

  /** How long to wait before the next look. */
  const look = async (): Promise<number> => {
    const work = await deliveries.findWork(clock())
    if (work.lost) {
      const lost = await deliveries.giveBackLost(clock())
      log.warn({ deliveries: lost }, 'a process died while it delivered; the deliveries are sent again')
    }
    const isMore = work.events && (await spreadSome())
    if (work.events || work.due || work.lost) await takeAll()
    return isMore ? BETWEEN_MS : lookMs
  }

  const loop = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      doze = new AbortController()
      let pause = AWAY_MS
      try {
        pause = await look()
      } catch (error) {
        // That nothing can be written is logged once, for all.
        if (!cannotWrite(error)) log.error({ err: error }, 'deliveries cannot be read at the moment')
        doze = new AbortController()
      }
      await sleep(pause, undefined, { signal: AbortSignal.any([doze.signal, closing.signal]) }).catch(
        () => {},
      )
    }
  }

  const looping = loop()
  return {
    figures: options.figures,
    wake,
    async close() {
      closing.abort()
      await looping
      const graced = new AbortController()
      const grace = sleep(GRACE_MS, undefined, { signal: graced.signal }).catch(() => {})
      await Promise.race([Promise.all(running), grace])
      graced.abort()
      hurrying.abort(new Error('the service stops'))
      await Promise.all(running)
    },
  }
}
