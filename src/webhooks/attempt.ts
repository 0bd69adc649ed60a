import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { EVENT_HEADER, type WebhookFormat } from '../contract/webhooks.ts'
import { AppError } from '../errors.ts'
import { CannotOpen, type KeyRing } from '../secrets/key-ring.ts'
import type { AttemptEnd, DeliveryTask } from '../store/deliveries.ts'
import type { Store } from '../store/store.ts'
import { createLimiter } from '../work/limiter.ts'
import { discordMessage, slackMessage } from './messages.ts'
import { findNews, type News, type NewsSources } from './news.ts'
import { GONE, pauseAfter, RETRY_PAUSES, readRetryAfter } from './retry.ts'
import { openSecrets, signHeaders } from './secrets.ts'
import type { Post, Send, Sent } from './send.ts'
import type { WriteEnd } from './write-ends.ts'

/** The deliveries of this process, in numbers. */
export class DeliveryFigures {
  readonly ended = { delivered: 0, failed: 0, dropped: 0 }
  /** `answered`: with a status that is not a success. `unreachable`: without a status. */
  readonly attempts = { delivered: 0, answered: 0, unreachable: 0 }
}

/** With these statuses, a receiver may say how long to wait. */
const WAIT = [429, 503]
/** How often writing the result of an attempt is tried, if the store is away. After that, the delivery is sent again. */
const WRITES = 10
const BETWEEN_WRITES_MS = 2_000
/** Deliveries whose content is read at the same time. Requests need connections to the database, too. */
const READ_AT_ONCE = 3
/** Pending deliveries that are dropped in one transaction. */
const DROPPED_AT_ONCE = 200

export interface AttemptRules extends Omit<NewsSources, 'store'> {
  readonly store: NewsSources['store'] & Pick<Store, 'deliveries'>
  readonly ring: KeyRing
  readonly send: Send
  readonly figures: DeliveryFigures
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly clock: () => number
  /** `proofsheet/0.1.0` */
  readonly userAgent: string
  readonly pauses?: readonly number[] | undefined
  readonly writeEnd: WriteEnd
  /** The store cannot be read at the moment. */
  readonly onAway: () => void
}

export function createAttempt(rules: AttemptRules) {
  const { send, log, clock, figures } = rules
  const { deliveries } = rules.store
  const reading = createLimiter(READ_AT_ONCE)

  const post = async (task: DeliveryTask): Promise<Post | undefined> => {
    const news = await reading(() => findNews(task, rules, clock()))
    if (!news) return undefined
    const { webhook, created, deliveryId, event } = task
    const body = renderBody(news, { ...webhook, created })
    const secrets = openSecrets(webhook, rules.ring, clock())
    const headers = {
      'user-agent': rules.userAgent,
      [EVENT_HEADER]: event,
      ...signHeaders({ deliveryId, now: clock(), body }, secrets),
    }
    return { url: webhook.url, headers, body, projectId: task.projectId }
  }

  const tryOnce = async (task: DeliveryTask, signal: AbortSignal): Promise<AttemptEnd> => {
    const at = clock()
    let ready: Post | undefined
    try {
      ready = await post(task)
    } catch (error) {
      if (error instanceof CannotOpen)
        return toEnd(task, at, { ms: 0, problem: `Its secret cannot be decrypted. ${error.message}` })
      log.warn({ err: error, ...idsOf(task) }, 'a delivery could not be prepared; it is tried again')
      if (error instanceof AppError && error.code === 'unavailable') {
        rules.onAway()
        return { state: 'put_back' }
      }
      // Only this delivery cannot be read: the ones behind it must not wait for it.
      return toEnd(task, at, {
        ms: 0,
        problem: 'The data of this delivery could not be read. The log says why.',
      })
    }
    if (!ready) return { state: 'dropped' }
    try {
      return toEnd(task, at, await send(ready, signal))
    } catch (error) {
      if (signal.aborted) return { state: 'put_back' }
      throw error
    }
  }

  const toEnd = (task: DeliveryTask, at: number, sent: Sent): AttemptEnd => {
    const { ms, status, answer } = sent
    const isDelivered = status !== undefined && status >= 200 && status < 300
    figures.attempts[isDelivered ? 'delivered' : status === undefined ? 'unreachable' : 'answered']++
    const problem = tell(sent, task, rules)
    const last = { at, ms, status, answer, problem }
    if (isDelivered) return { state: 'delivered', last }
    const askedMs = WAIT.includes(status ?? 0) ? readRetryAfter(sent.retryAfter, clock()) : undefined
    const { pauses = RETRY_PAUSES } = rules
    const pause = pauseAfter(task.attempts, pauses, askedMs)
    const why = { ...idsOf(task), attempts: task.attempts, status, problem: sent.problem ?? problem }
    if (status === GONE || pause === undefined) {
      log.warn(why, 'a delivery is given up')
      return { state: 'failed', last }
    }
    log.info(why, 'an attempt at a delivery failed')
    return { state: 'pending', last, pauseMs: pause }
  }

  const dropPending = async () => {
    for (;;) {
      const dropped = await deliveries.dropPending({ now: clock(), limit: DROPPED_AT_ONCE })
      figures.ended.dropped += dropped
      if (dropped === 0) return
    }
  }

  const write = async (task: DeliveryTask, how: AttemptEnd, signal: AbortSignal) => {
    for (let left = WRITES; ; left--) {
      try {
        return await rules.writeEnd({ attempt: task, how })
      } catch (error) {
        rules.onAway()
        if (left <= 1 || signal.aborted) throw error
        await sleep(BETWEEN_WRITES_MS, undefined, { signal }).catch(() => {})
      }
    }
  }

  /** Makes one attempt, writes its result, and returns it. If the signal is aborted, the attempt is put back. */
  return async (task: DeliveryTask, signal: AbortSignal): Promise<AttemptEnd> => {
    const how = await tryOnce(task, signal)
    const ended = await write(task, how, signal)
    if (!ended) {
      log.info(idsOf(task), 'a delivery was removed, or taken over by another process, during its attempt')
      return how
    }
    if (how.state !== 'pending' && how.state !== 'put_back') figures.ended[how.state]++
    if (ended.switchedOff) {
      log.warn({ ...idsOf(task), ...ended.switchedOff }, 'a webhook was switched off')
      await dropPending()
    }
    return how
  }
}

function idsOf({ projectId, webhookId, deliveryId }: DeliveryTask) {
  return { projectId, webhookId, deliveryId }
}

/** Why there was no answer, or why it does not count. An unknown name and a private one look the same: closed-reasons.ts. */
function tell(
  { status, problem, reason }: Sent,
  { projectId, webhook }: DeliveryTask,
  { explainTo }: Pick<NewsSources, 'explainTo'>,
): string | undefined {
  if (status !== undefined)
    return status >= 300 && status < 400 ? 'It answered with a redirect, which is not followed.' : undefined
  const isClosed = reason === 'dns' || reason === 'blocked'
  if (!isClosed || explainTo.has(projectId)) return problem
  return (
    `${URL.parse(webhook.url)?.host} could not be reached: either its name is unknown, or webhooks may not reach it. ` +
    'The log of the service says which.'
  )
}

export function renderBody(
  news: News,
  { format, name, created }: { format: WebhookFormat; name: string; created: number },
): string {
  if (format === 'slack') return JSON.stringify(slackMessage(news, name))
  if (format === 'discord') return JSON.stringify(discordMessage(news, name))
  // Exactly the `JobResult` of the root, for clients of Websiteshot.
  if (news.event === 'screenshot.done') return news.job
  return JSON.stringify({ type: news.event, timestamp: new Date(created).toISOString(), data: news.data })
}
