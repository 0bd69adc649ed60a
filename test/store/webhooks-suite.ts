import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Failing } from '../../src/store/deliveries.ts'
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

/** What every store must do with the settings of webhooks and the list of deliveries. */
export function webhooksSuite(name: string, driver: StoreDriver): void {
  const open = async () => {
    const store = await driver.open(await driver.newPlace())
    const projectId = await makeProject(store)
    return { store, projectId, webhooks: store.webhooks, deliveries: store.deliveries }
  }

  describe(`${name}: webhooks`, () => {
    test('are stored as given, and can be changed', async () => {
      const { webhooks, projectId } = await open()
      const webhook = newWebhook(projectId, { events: ['root.finished'], format: 'slack' })
      const made = await webhooks.create(webhook, LIMIT)
      expect(made).toMatchObject({ ...webhook, changed: webhook.created, pending: 0 })
      expect([made.off, made.failingSince]).toEqual([undefined, undefined])
      const settings = { ...webhook, name: 'Other', url: 'https://example.org/', paused: true }
      const changed = await webhooks.change(webhook, settings, { now: NOW + 9 })
      expect(changed).toMatchObject({ ...settings, changed: NOW + 9 })
    })

    test('of another project are not found by any operation', async () => {
      const { store, webhooks, projectId } = await open()
      const mine = newWebhook(projectId)
      const before = await webhooks.create(mine, LIMIT)
      const key = { webhookId: mine.webhookId, projectId: await makeProject(store) }
      expect(await webhooks.find(key)).toBeUndefined()
      await expect(webhooks.changeSecrets(key, () => [], NOW)).rejects.toMatchObject({ code: 'not_found' })
      expect(await webhooks.addTest(key, NOW)).toBeUndefined()
      expect(await webhooks.replay(key, randomUUID(), NOW)).toBeUndefined()
      expect(await webhooks.replayFrom(key, 0, { now: NOW })).toBeUndefined()
      expect(await webhooks.listDeliveries(key, { limit: 9 })).toEqual([])
      expect(await webhooks.find(mine)).toEqual(before)
    })

    test('keep all of their secrets when two are added at the same time', async () => {
      const { webhooks, projectId } = await open()
      const webhook = newWebhook(projectId, { secrets: [] })
      await webhooks.create(webhook, LIMIT)
      const add = (sealed: string) =>
        webhooks.changeSecrets(webhook, (before) => [{ sealed }, ...before], NOW)
      await Promise.all([add('a'), add('b'), add('c')])
      const secrets = (await webhooks.find(webhook))?.secrets.map(({ sealed }) => sealed)
      expect(secrets?.toSorted()).toEqual(['a', 'b', 'c'])
    })

    test('are removed with their project, and get no deliveries while it is being removed', async () => {
      const { store, webhooks, deliveries, projectId } = await open()
      const webhook = newWebhook(projectId)
      await webhooks.create(webhook, LIMIT)
      await finishRoot(store, projectId)
      await spreadAll(store)
      await finishRoot(store, projectId)
      for await (const _ of store.removals.removeProject(projectId, NOW));
      expect(await deliveries.findBehind({ limit: 9 })).toEqual([])
      expect(await takeDeliveries(store)).toEqual([])
      while ((await deliveries.forget({ before: 0, most: 100, limit: 1 })) > 0);
      expect(await webhooks.listDeliveries(webhook, { limit: 9 })).toEqual([])
      expect(await store.removals.forgetProject(projectId)).toBe(true)
      expect(await webhooks.find(webhook)).toBeUndefined()
    })
  })

  describe(`${name}: deliveries`, () => {
    const ofProject = async () => {
      const opened = await open()
      const webhook = newWebhook(opened.projectId)
      await opened.webhooks.create(webhook, LIMIT)
      const list = (state?: 'pending' | 'delivered' | 'failed' | 'dropped') =>
        opened.webhooks.listDeliveries(webhook, { limit: 100, state })
      return { ...opened, webhook, list }
    }

    test('are listed newest first, by state, and in list pages', async () => {
      const { store, webhooks, deliveries, projectId, webhook, list } = await ofProject()
      const rootId = await finishRoot(store, projectId, { pages: [true, false] })
      await spreadAll(store)
      const [first] = await takeDeliveries(store)
      if (first) await endOne(store, first, DELIVERED, { now: NOW + 1 })
      const all = await list()
      expect(all.map(({ event, position, state }) => [event, position, state])).toEqual([
        ['root.finished', undefined, 'pending'],
        ['screenshot.failed', 1, 'pending'],
        ['screenshot.done', 0, 'delivered'],
      ])
      expect(all[2]).toEqual({
        deliveryId: first?.deliveryId,
        ...{ event: 'screenshot.done', rootId, position: 0, state: 'delivered', created: NOW, attempts: 1 },
        ...{ due: undefined, finished: NOW + 1, last: DELIVERED.last },
      })
      expect(await list('delivered')).toEqual([all[2]])
      const pages = []
      for (let after: { created: number; id: string } | undefined; pages.length < 3; ) {
        const [one] = await webhooks.listDeliveries(webhook, { limit: 1, after })
        if (!one) break
        pages.push(one)
        after = { created: one.created, id: one.deliveryId }
      }
      expect(pages).toEqual(all)
      expect((await webhooks.find(webhook))?.pending).toBe(2)
      expect(await deliveries.findBacklog()).toEqual({ pending: 2, oldest: NOW, off: 0 })
    })

    test('can be a test, which is about no event and due at once', async () => {
      const { store, webhooks, webhook } = await ofProject()
      const made = await webhooks.addTest(webhook, NOW)
      expect(made).toMatchObject({ event: 'webhook.test', rootId: undefined, state: 'pending', due: NOW })
      const [task] = await takeDeliveries(store)
      expect(task).toMatchObject({ deliveryId: made?.deliveryId, event: 'webhook.test', attempts: 1 })
      await webhooks.change(webhook, { ...webhook, paused: true }, { now: NOW })
      await expect(webhooks.addTest(webhook, NOW)).rejects.toMatchObject({ code: 'conflict' })
    })

    test('are counted up to a limit, so that no request waits for a long count; tests cannot pile up', async () => {
      const { webhooks, webhook, store, projectId, deliveries } = await ofProject()
      for (let test = 0; test < 100; test++) await webhooks.addTest(webhook, NOW)
      await expect(webhooks.addTest(webhook, NOW)).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('100 tests of the webhook are pending'),
      })
      const pages = Array.from({ length: 100 }, () => true)
      for (let root = 0; root < 9; root++) await finishRoot(store, projectId, { pages })
      await spreadAll(store, NOW, 1_000)
      expect((await webhooks.find(webhook))?.pending).toBe(1_000)
      expect(await webhooks.page(projectId, { limit: 9 })).toMatchObject([{ pending: 1_000 }])
      expect((await deliveries.findBacklog()).pending).toBe(1_009)
    })

    test('since a time are replayed in pieces, and other work continues in between', async () => {
      const { webhooks, webhook, store, projectId } = await ofProject()
      const pages = Array.from({ length: 100 }, () => true)
      for (let root = 0; root < 3; root++) await finishRoot(store, projectId, { pages })
      await spreadAll(store, NOW, 1_000)
      for (;;) {
        const tasks = await takeDeliveries(store)
        if (tasks.length === 0) break
        const ends = tasks.map((attempt) => ({ attempt, how: DELIVERED }))
        await store.deliveries.end(ends, { now: NOW })
      }
      let others = 0
      let isOver = false
      const count = () => {
        others++
        if (!isOver) setImmediate(count)
      }
      setImmediate(count)
      expect(await webhooks.replayFrom(webhook, 0, { now: NOW + 1 })).toBe(303)
      isOver = true
      // 303 deliveries take seven transactions, and their events are read in two pieces.
      expect(others).toBeGreaterThanOrEqual(9)
      expect((await webhooks.find(webhook))?.pending).toBe(303)
    })

    test('that have ended can be replayed as if they had never been tried', async () => {
      const { store, webhooks, projectId, webhook } = await ofProject()
      await finishRoot(store, projectId)
      await spreadAll(store)
      const [first] = await takeDeliveries(store)
      if (!first) throw new Error('nothing was due')
      await endOne(store, first, { state: 'failed', last: REFUSED }, { now: NOW })
      for (const task of await takeDeliveries(store)) await endOne(store, task, DELIVERED, { now: NOW })
      const again = await webhooks.replay(webhook, first.deliveryId, NOW + 5)
      expect(again).toMatchObject({ state: 'pending', attempts: 0, due: NOW + 5, finished: undefined })
      const tasks = await takeDeliveries(store, NOW + 5)
      expect(tasks.map(({ event, attempts }) => [event, attempts])).toEqual([['screenshot.done', 1]])
      expect(await webhooks.replay(webhook, randomUUID(), NOW)).toBeUndefined()
    })

    test('since a time are replayed in order, including events that never became a delivery', async () => {
      const { store, webhooks, projectId, webhook, list } = await ofProject()
      const deliverAll = async (now: number) => {
        await spreadAll(store, now)
        const told: string[] = []
        for (;;) {
          const [task] = await takeDeliveries(store, now, 1)
          if (!task) return told
          told.push(`${task.event} ${task.rootId}`)
          await endOne(store, task, DELIVERED, { now })
        }
      }
      await finishRoot(store, projectId, { now: NOW })
      const second = await finishRoot(store, projectId, { now: NOW + 10, pages: [true, true] })
      expect(await deliverAll(NOW + 10)).toHaveLength(5)
      await webhooks.change(webhook, { ...webhook, paused: true }, { now: NOW + 11 })
      const third = await finishRoot(store, projectId, { now: NOW + 12 })
      await webhooks.change(webhook, webhook, { now: NOW + 13 })
      expect(await deliverAll(NOW + 13)).toEqual([])

      expect(await webhooks.replayFrom(webhook, NOW + 10, { now: NOW + 20 })).toBe(5)
      expect((await list('pending')).length).toBe(3)
      const expected = [
        ...[`screenshot.done ${second}`, `screenshot.done ${second}`, `root.finished ${second}`],
        ...[`screenshot.done ${third}`, `root.finished ${third}`],
      ]
      expect(await deliverAll(NOW + 20)).toEqual(expected)
      expect(await deliverAll(NOW + 20)).toEqual([])
      expect(await webhooks.replayFrom(webhook, NOW + 13, { now: NOW + 21 })).toBe(0)
    })

    test('are forgotten when they are old or too many, but never before they have ended', async () => {
      const { store, webhooks, deliveries, projectId, webhook, list } = await ofProject()
      for (let root = 0; root < 4; root++) await finishRoot(store, projectId, { now: NOW + root })
      await spreadAll(store)
      const tasks = await takeDeliveries(store, NOW + 9)
      for (const task of tasks.slice(1)) await endOne(store, task, DELIVERED, { now: NOW + 9 })
      const forget = async (before: number, most: number) => {
        while ((await deliveries.forget({ before, most, limit: 2 })) > 0);
        return (await list()).map(({ created }) => created - NOW)
      }
      expect(await forget(NOW + 2, 100)).toEqual([3, 3, 2, 2, 1, 0, 0])
      expect(await forget(0, 3)).toEqual([3, 3, 2, 2, 1, 0, 0])
      expect(await forget(0, 2)).toEqual([3, 3, 2, 1, 0, 0])
      await webhooks.remove(webhook)
      expect(await list()).toEqual([])
    })

    test('of a webhook that is switched off are dropped; changing it switches it on again', async () => {
      const { store, webhooks, deliveries, projectId, webhook, list } = await ofProject()
      const made = await webhooks.find(webhook)
      for (let roots = 0; roots < 2; roots++) await finishRoot(store, projectId)
      await spreadAll(store)
      const [task, other] = await takeDeliveries(store)
      if (!task || !other) throw new Error('nothing was due')
      const off = { reason: 'gone', detail: 'It answered 410.' } as const
      const offIf = (_: unknown, failing: Failing | undefined) => (failing?.since === NOW ? off : undefined)
      const end = await endOne(store, task, { state: 'failed', last: REFUSED }, { now: NOW + 1, offIf })
      expect(end).toEqual({ switchedOff: off })
      // Nothing more begins, and the webhook is switched off once.
      expect(await takeDeliveries(store, NOW + 9)).toEqual([])
      const later = await endOne(store, other, { state: 'failed', last: REFUSED }, { now: NOW + 2, offIf })
      expect(later).toEqual({ switchedOff: undefined })
      const now = await webhooks.find(webhook)
      expect(now).toMatchObject({ off: { since: NOW + 1, ...off }, failingSince: NOW })
      expect(now?.revision).not.toBe(made?.revision)
      expect(await takeDeliveries(store, NOW + 9)).toEqual([])
      expect(await deliveries.dropPending({ now: NOW + 3, limit: 9 })).toBe(2)
      expect(await deliveries.dropPending({ now: NOW + 3, limit: 9 })).toBe(0)
      expect((await list('dropped')).map(({ finished }) => finished)).toEqual([NOW + 3, NOW + 3])
      expect((await deliveries.findBacklog()).off).toBe(1)
      await finishRoot(store, projectId)
      expect(await deliveries.findBehind({ limit: 9 })).toEqual([])
      await webhooks.change(webhook, webhook, { now: NOW + 4 })
      expect(await webhooks.find(webhook)).toMatchObject({ off: undefined, failingSince: undefined })
      // Events that happened while it was off are not delivered.
      expect(await deliveries.findBehind({ limit: 9 })).toEqual([])
      await finishRoot(store, projectId)
      await spreadAll(store)
      expect(await takeDeliveries(store)).toHaveLength(1)
    })
  })
}
