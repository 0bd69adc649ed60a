import { expect, test } from 'vitest'
import { asAsked, cadence, lateness, nextRun, trouble } from '../../gallery/src/schedule-words.ts'
import { attemptsOf, conditionOf, toldWhen } from '../../gallery/src/webhook-words.ts'
import { distance, duration } from '../../gallery/src/words.ts'
import type { Schedule } from '../../src/contract/schedules.ts'
import type { Delivery, Webhook } from '../../src/contract/webhooks.ts'

const NOW = Date.UTC(2026, 2, 1, 6)
const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000]

const SCHEDULE: Schedule = {
  ...{ scheduleId: 'a', name: 'Nightly', cron: '0 2 * * *', paused: false, next: [NOW + HOUR] },
  ...{ created: NOW, changed: NOW, runs: 0, late: 0, skipped: 0 },
}
const WEBHOOK: Webhook = {
  ...{ webhookId: 'a', name: 'Builds', url: 'https://hooks.example/', events: ['root.finished'] },
  ...{ format: 'standard', paused: false, created: NOW, changed: NOW, pending: 0 },
}
const DELIVERY: Delivery = {
  ...{ deliveryId: 'a', event: 'root.finished', state: 'pending', created: NOW, attempts: 0 },
}

test.each([
  [NOW + 30_000, 'in under a minute'],
  [NOW - 30_000, 'just now'],
  [NOW + 90 * MINUTE, 'in 2 hours'],
  [NOW + DAY, 'in 1 day'],
  [NOW - 40 * DAY, '1 month ago'],
])('the distance of %d is %s', (time, words) => {
  expect(distance(time, NOW)).toBe(words)
})

test('a schedule shows how often and when it runs', () => {
  expect(cadence({ cron: '0 2 * * *' })).toBe('0 2 * * * · UTC')
  expect(cadence({ every: '6h' })).toBe('every 6 hours')
  expect(cadence({ every: '1d' })).toBe('every day')
  expect(nextRun(SCHEDULE, NOW)).toBe('in 1 hour')
  expect(nextRun({ ...SCHEDULE, next: [NOW - 10_000] }, NOW)).toBe('due now')
  expect(nextRun({ ...SCHEDULE, next: [NOW - HOUR] }, NOW)).toBe('late: it was due 1 hour ago')
  expect(nextRun({ ...SCHEDULE, paused: true, next: [] }, NOW)).toBe('paused')
  expect(nextRun({ ...SCHEDULE, next: [] }, NOW)).toBe('no more runs')
})

test('a schedule shows its last problem', () => {
  const last = { rootId: 'r', created: NOW, state: 'done' as const }
  expect(trouble({ ...SCHEDULE, last })).toBeUndefined()
  expect(trouble({ ...SCHEDULE, last, lastSkipped: NOW - HOUR })).toBeUndefined()
  expect(trouble({ ...SCHEDULE, last, lastSkipped: NOW + HOUR })).toMatch(/^skipped .* was unfinished$/)
  expect(trouble({ ...SCHEDULE, problem: { at: NOW, detail: 'no such template' } })).toMatch(
    /^did not run .*: no such template$/,
  )
  expect(lateness({})).toBeUndefined()
  expect(lateness({ lateMs: 14 * MINUTE })).toBe('14 minutes late')
  expect(lateness({ lateMs: HOUR, missed: 1 })).toBe('1 hour late; 1 later time had passed')
  expect(lateness({ lateMs: HOUR, missed: 100 })).toBe('1 hour late; 100 or more later times had passed')
  expect(duration(2 * DAY)).toBe('2 days')
})

test('a schedule is sent with its given fields, and no others', () => {
  expect(asAsked(SCHEDULE)).toEqual({ name: 'Nightly', cron: '0 2 * * *', paused: false })
})

test('a webhook shows its state; being off comes first', () => {
  const off = { since: NOW, reason: 'gone' as const, detail: 'It answered 410.' }
  expect(conditionOf(WEBHOOK)).toEqual({ look: 'done', words: 'working' })
  expect(conditionOf({ ...WEBHOOK, failingSince: NOW }).words).toMatch(/^failing since/)
  expect(conditionOf({ ...WEBHOOK, failingSince: NOW, paused: true }).words).toBe('paused')
  expect(conditionOf({ ...WEBHOOK, off, paused: true }).words).toMatch(/^off since .*: It answered 410\.$/)
  expect(toldWhen(['screenshot.done', 'root.finished'])).toBe(
    'when a page was captured or a request is finished',
  )
})

test('a delivery shows how often it was tried, and when the next attempt is', () => {
  expect(attemptsOf(DELIVERY, NOW)).toBe('on its way')
  expect(attemptsOf({ ...DELIVERY, attempts: 2, next: NOW + 10 * MINUTE }, NOW)).toBe(
    '2 attempts · next in 10 minutes',
  )
  expect(attemptsOf({ ...DELIVERY, attempts: 1, next: NOW - MINUTE }, NOW)).toBe('1 attempt · next now')
  const last = { at: NOW, ms: 12, status: 200 }
  expect(attemptsOf({ ...DELIVERY, state: 'delivered', attempts: 1, last }, NOW)).toBe('1 attempt · 12 ms')
})
