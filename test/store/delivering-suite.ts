import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { DeliveryTask, Failing } from '../../src/store/deliveries.ts'
import { makeProject } from '../support/store/results.ts'
import {
  DELIVERED,
  endOne,
  finishRoot,
  LIMIT,
  NOW,
  newWebhook,
  REFUSED,
  spreadAll,
  takeDeliveries,
} from '../support/store/webhooks.ts'
import type { StoreDriver } from './store-driver.ts'

const NOTHING = { events: false, due: false, lost: false, ahead: false }
const HOUR_MS = 3_600_000
const told = (tasks: readonly (DeliveryTask | undefined)[]) =>
  tasks.map((task) => task && [task.event, task.position])

/** How every store hands out deliveries. */
export function deliveringSuite(name: string, driver: StoreDriver): void {
  const open = async (more: Parameters<typeof newWebhook>[1] = {}) => {
    const store = await driver.open(await driver.newPlace())
    const projectId = await makeProject(store)
    const webhook = newWebhook(projectId, more)
    await store.webhooks.create(webhook, LIMIT)
    return { store, projectId, webhook, webhooks: store.webhooks, deliveries: store.deliveries }
  }

  describe(`${name}: events become deliveries`, () => {
    test('once each, if the webhook wants them, from its creation on', async () => {
      const store = await driver.open(await driver.newPlace())
      const projectId = await makeProject(store)
      await finishRoot(store, projectId)
      const webhook = newWebhook(projectId, { events: ['root.finished', 'screenshot.failed'] })
      await store.webhooks.create(webhook, LIMIT)
      expect(await store.deliveries.findWork({ now: NOW, leaseMs: 60_000 })).toEqual(NOTHING)
      await finishRoot(store, projectId, { pages: [true, false] })
      expect(await store.deliveries.findWork({ now: NOW, leaseMs: 60_000 })).toEqual({
        ...NOTHING,
        events: true,
      })
      // Of several processes, one takes each event.
      await Promise.all([spreadAll(store, NOW, 1), spreadAll(store, NOW, 2), spreadAll(store, NOW, 100)])
      const made = await store.webhooks.listDeliveries(webhook, { limit: 9 })
      expect(made.map(({ event }) => event).toSorted()).toEqual(['root.finished', 'screenshot.failed'])
      expect(await store.deliveries.findWork({ now: NOW, leaseMs: 60_000 })).toEqual({
        ...NOTHING,
        due: true,
      })
    })

    test('an event stays in the outbox until every active webhook has read it', async () => {
      const { store, projectId, webhook, webhooks, deliveries } = await open()
      await finishRoot(store, projectId, { pages: [true, true] })
      const trim = async () => await store.events.trim({ before: NOW + 1, most: 1, limit: 100 })
      expect(await trim()).toBe(0)
      await deliveries.spread(webhook, { now: NOW, limit: 2 })
      expect(await trim()).toBe(2)
      await webhooks.change(webhook, { ...webhook, paused: true }, { now: NOW })
      expect(await trim()).toBe(1)
      await webhooks.change(webhook, webhook, { now: NOW })
      expect(await deliveries.findWork({ now: NOW, leaseMs: 60_000 })).toEqual({ ...NOTHING, due: true })
    })

    test('events that are gone with their root are skipped', async () => {
      const { store, projectId, deliveries } = await open()
      const rootId = await finishRoot(store, projectId)
      for await (const _ of store.removals.removeRoot(projectId, rootId, NOW));
      await spreadAll(store)
      expect(await deliveries.findWork({ now: NOW, leaseMs: 60_000 })).toEqual(NOTHING)
    })
  })

  describe(`${name}: attempts`, () => {
    test('of one root follow the order of its events, one at a time', async () => {
      const { store, projectId, deliveries } = await open()
      await finishRoot(store, projectId, { pages: [true, false] })
      await spreadAll(store, NOW, 1)
      const [first, ...others] = await takeDeliveries(store)
      expect([told([first]), others]).toEqual([[['screenshot.done', 0]], []])
      if (!first) throw new Error('nothing was due')
      // It is tried again later. Then the next one is due.
      const later = { state: 'pending', last: REFUSED, pauseMs: 5_000 } as const
      await endOne(store, first, later, { now: NOW })
      const second = await takeDeliveries(store)
      expect(told(second)).toEqual([['screenshot.failed', 1]])
      // The first is due again, but the second is under way.
      expect(await takeDeliveries(store, NOW + 6_000)).toEqual([])
      for (const task of second) await endOne(store, task, DELIVERED, { now: NOW })
      const rest: unknown[] = []
      for (;;) {
        const [task] = await takeDeliveries(store, NOW + 6_000)
        if (!task) break
        rest.push(...told([task]))
        await endOne(store, task, DELIVERED, { now: NOW })
      }
      expect(rest).toEqual([
        ['root.finished', undefined],
        ['screenshot.done', 0],
      ])
      expect(await deliveries.findWork({ now: NOW + 10_000, leaseMs: 60_000 })).toEqual(NOTHING)
    })

    test('of different roots run together', async () => {
      const { store, projectId } = await open({ events: ['root.finished'] })
      for (let root = 0; root < 3; root++) await finishRoot(store, projectId)
      await spreadAll(store)
      expect(await takeDeliveries(store)).toHaveLength(3)
    })

    test('take turns by webhook, not by age', async () => {
      const { store, projectId, webhook, webhooks } = await open({ events: ['root.finished'] })
      for (let root = 0; root < 4; root++) await finishRoot(store, projectId)
      await spreadAll(store)
      const other = newWebhook(projectId, { events: ['root.finished'], created: NOW + 1 })
      await webhooks.create(other, LIMIT)
      for (let root = 0; root < 2; root++) await finishRoot(store, projectId, { now: NOW + 1 })
      await spreadAll(store, NOW + 1)
      const order: (string | undefined)[] = []
      for (let now = NOW + 10; now < NOW + 16; now++) {
        const [task] = await takeDeliveries(store, now, 1)
        order.push(task?.webhookId === webhook.webhookId ? 'first' : 'other')
      }
      expect(order.slice(1)).toEqual(
        order[0] === 'first'
          ? ['other', 'first', 'other', 'first', 'first']
          : ['first', 'other', 'first', 'first', 'first'],
      )
    })

    test('that fail mark their webhook as failing until one is delivered', async () => {
      const { store, projectId, webhook, webhooks, deliveries } = await open({ events: ['root.finished'] })
      for (let root = 0; root < 2; root++) await finishRoot(store, projectId)
      await spreadAll(store)
      const isFailing = async () =>
        (await deliveries.findDue({ now: NOW, limit: 9 })).map((each) => each.isFailing)
      expect(await isFailing()).toEqual([false])
      const [task] = await takeDeliveries(store, NOW, 1)
      if (!task) throw new Error('nothing was due')
      await endOne(store, task, { state: 'failed', last: REFUSED }, { now: NOW })
      expect(await isFailing()).toEqual([true])
      const [next] = await takeDeliveries(store)
      expect(next?.webhook.failingSince).toBe(NOW)
      if (next) await endOne(store, next, DELIVERED, { now: NOW })
      expect((await webhooks.find(webhook))?.failingSince).toBeUndefined()
    })

    test('of a dead process begin again when the lease is over; the late process changes nothing', async () => {
      const { store, projectId, deliveries } = await open({ events: ['root.finished'] })
      await finishRoot(store, projectId)
      await spreadAll(store)
      const [late] = await takeDeliveries(store)
      expect(await deliveries.findWork({ now: NOW + 60_000, leaseMs: 60_000 })).toEqual(NOTHING)
      expect(await deliveries.giveBackLost({ now: NOW + 60_000, leaseMs: 60_000, own: new Set() })).toBe(0)
      expect(await deliveries.findWork({ now: NOW + 60_001, leaseMs: 60_000 })).toEqual({
        ...NOTHING,
        lost: true,
      })
      expect(await deliveries.giveBackLost({ now: NOW + 60_001, leaseMs: 60_000, own: new Set() })).toBe(1)
      const [again] = await takeDeliveries(store, NOW + 60_001)
      expect(again).toMatchObject({ deliveryId: late?.deliveryId, attempts: 2 })
      if (!late || !again) throw new Error('nothing was due')
      expect(await endOne(store, late, DELIVERED, { now: NOW })).toBe(false)
      expect(await endOne(store, again, DELIVERED, { now: NOW })).toEqual({ switchedOff: undefined })
      expect(await endOne(store, again, DELIVERED, { now: NOW })).toBe(false)
    })

    test('are also lost if their lease is further ahead than a lease is long, unless they belong to this process', async () => {
      const { store, projectId, deliveries } = await open({ events: ['root.finished'] })
      await finishRoot(store, projectId)
      await spreadAll(store)
      // A clock was two hours ahead, and is right again.
      const [task] = await takeDeliveries(store, NOW + 2 * HOUR_MS)
      if (!task) throw new Error('nothing was due')
      const look = { now: NOW, leaseMs: 60_000 }
      expect(await deliveries.findWork(look)).toMatchObject({ lost: true })
      expect(await deliveries.giveBackLost({ ...look, own: new Set([task.deliveryId]) })).toBe(0)
      expect(await deliveries.giveBackLost({ ...look, own: new Set() })).toBe(1)
    })

    test('that wait for a time written by a wrong clock are due now', async () => {
      const { store, projectId, deliveries } = await open({ events: ['root.finished'] })
      for (let root = 0; root < 2; root++) await finishRoot(store, projectId)
      const ahead = NOW + 2 * HOUR_MS
      await spreadAll(store, ahead)
      // One has failed once: its pause is short, but was computed with another clock.
      const [task] = await takeDeliveries(store, ahead, 1)
      if (!task) throw new Error('nothing was due')
      await endOne(store, task, { state: 'pending', last: REFUSED, pauseMs: 5_000 }, { now: ahead })
      expect(await takeDeliveries(store, NOW)).toEqual([])
      expect(await deliveries.findWork({ now: ahead, leaseMs: 60_000 })).toMatchObject({ ahead: false })
      expect(await deliveries.findWork({ now: NOW, leaseMs: 60_000 })).toMatchObject({ ahead: true })
      expect(await deliveries.bringBack(NOW)).toBe(2)
      expect(await deliveries.findWork({ now: NOW, leaseMs: 60_000 })).toEqual({ ...NOTHING, due: true })
      const again = await takeDeliveries(store, NOW)
      expect(again.map(({ attempts }) => attempts).toSorted()).toEqual([1, 2])
      for (const each of again)
        await endOne(store, each, { state: 'pending', last: REFUSED, pauseMs: 8 * HOUR_MS }, { now: NOW })
      // A long pause is not treated as a wrong clock.
      expect(await deliveries.findWork({ now: NOW, leaseMs: 60_000 })).toEqual(NOTHING)
    })

    test('that fail add up to the time for which all have failed; a jump of the clock does not count', async () => {
      const { store, webhook, webhooks } = await open()
      await webhooks.addTest(webhook, NOW)
      const failed: number[] = []
      const offIf = (_: unknown, failing: Failing | undefined) => {
        failed.push((failing?.ms ?? 0) / HOUR_MS)
        return undefined
      }
      const fail = async (hours: number) => {
        const now = NOW + hours * HOUR_MS
        const [task] = await takeDeliveries(store, now)
        if (!task) throw new Error('nothing was due')
        await endOne(store, task, { state: 'pending', last: REFUSED, pauseMs: 0 }, { now, offIf })
      }
      for (let hours = 0; hours <= 168; hours += 8) await fail(hours)
      expect(failed.at(-1)).toBe(168)
      // A year ahead.
      await fail(168 + 365 * 24)
      expect(failed.at(-1)).toBe(178)
      await fail(168 + 365 * 24 + 1)
      expect(failed.at(-1)).toBe(179)
      const [task] = await takeDeliveries(store, NOW + 9_999 * HOUR_MS)
      if (task) await endOne(store, task, DELIVERED, { now: NOW })
      expect((await webhooks.find(webhook))?.failingSince).toBeUndefined()
    })

    test('begin and end together, at most one for each root, and each end counts by itself', async () => {
      const { store, projectId, webhook, deliveries } = await open()
      for (let root = 0; root < 3; root++) await finishRoot(store, projectId, { pages: [true, true] })
      await spreadAll(store)
      const take = { now: NOW, leaseMs: 60_000, most: 10 }
      const first = await deliveries.take(webhook, take)
      expect(told(first)).toEqual([1, 2, 3].map(() => ['screenshot.done', 0]))
      expect(new Set(first.map(({ rootId }) => rootId)).size).toBe(3)
      expect(await deliveries.take(webhook, take)).toEqual([])
      const [one, two, three] = first.map((attempt) => ({ attempt, how: DELIVERED }))
      if (!one || !two || !three) throw new Error('nothing was due')
      const late = { ...three, attempt: { ...three.attempt, attempt: webhook.webhookId } }
      expect(await deliveries.end([one, late, two], { now: NOW })).toEqual([
        { switchedOff: undefined },
        false,
        { switchedOff: undefined },
      ])
      expect(told(await deliveries.take(webhook, { ...take, most: 1 }))).toEqual([['screenshot.done', 1]])
      expect(told(await deliveries.take(webhook, take))).toEqual([['screenshot.done', 1]])
    })

    test('that are put back do not count, and keep their place', async () => {
      const { store, projectId } = await open()
      await finishRoot(store, projectId)
      await spreadAll(store)
      const [first] = await takeDeliveries(store)
      if (!first) throw new Error('nothing was due')
      await endOne(store, first, { state: 'put_back' }, { now: NOW })
      expect(await takeDeliveries(store)).toMatchObject([{ deliveryId: first.deliveryId, attempts: 1 }])
    })

    test('of several processes at the same time begin each delivery once', async () => {
      const place = await driver.newPlace()
      const stores = await Promise.all([1, 2, 3].map(() => driver.open(place)))
      const [store] = stores
      if (!store) throw new Error('there is no store')
      const projectId = await makeProject(store)
      for (let hook = 0; hook < 2; hook++) await store.webhooks.create(newWebhook(projectId), LIMIT)
      for (let root = 0; root < 6; root++) await finishRoot(store, projectId, { pages: [true, false] })
      const sent: DeliveryTask[] = []
      const work = async (one: typeof store) => {
        for (let idle = 0; idle < 5; ) {
          await spreadAll(one, NOW, 2)
          const task = (await takeDeliveries(one, NOW, 1))[0]
          if (task) {
            sent.push(task)
            await endOne(one, task, DELIVERED, { now: NOW })
          } else await sleep(5)
          idle = task ? 0 : idle + 1
        }
      }
      await Promise.all(stores.map(work))
      expect(sent).toHaveLength(2 * 6 * 3)
      expect(new Set(sent.map(({ deliveryId }) => deliveryId)).size).toBe(sent.length)
      for (const ofRoot of Map.groupBy(sent, ({ webhookId, rootId }) => `${webhookId} ${rootId}`).values())
        expect(told(ofRoot)).toEqual([
          ['screenshot.done', 0],
          ['screenshot.failed', 1],
          ['root.finished', undefined],
        ])
    })
  })
}
