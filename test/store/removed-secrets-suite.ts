import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { hashApiKey } from '../../src/store/api-key.ts'
import type { CaptureTask } from '../../src/store/captures.ts'
import type { Store } from '../../src/store/store.ts'
import { newRequest, PICTURE, somePages } from '../support/store/captures.ts'
import { makeKey, makeProject } from '../support/store/results.ts'
import {
  DELIVERED,
  finishRoot,
  LIMIT,
  NOW,
  newWebhook,
  spreadAll,
  takeDeliveries,
} from '../support/store/webhooks.ts'
import { newSchedule } from './schedules-suite.ts'
import type { ReadRows, StoreDriver } from './store-driver.ts'

/**
 * Every column of every table. A new one must be added to one of the two lists: if it can hold a secret, or is one, its row
 * must be removed in the transaction that hides its project.
 */
const SECRET: Readonly<Record<string, readonly string[]>> = {
  keys: ['hash'],
  secrets: ['sealed'],
  templates: ['request', 'sealed'],
  schedules: ['request', 'sealed', 'problem'],
  webhooks: ['url', 'secrets', 'off_detail'],
  deliveries: ['last_answer', 'last_problem'],
}
const PLAIN: Readonly<Record<string, readonly string[]>> = {
  projects: ['project_id', 'name', 'created', 'revision', 'last_event', 'removed', 'last_removal'],
  // If the request has secrets, its digest is made with a key.
  roots: ['project_id', 'root_id', 'created', 'revision', 'job_count', 'digest', 'claimed', 'claimers'],
  jobs: `project_id root_id position uuid picture url name loading_time created basepath width height`.split(
    ' ',
  ),
  keys: ['key_id', 'project_id', 'scope', 'label', 'created', 'revoked'],
  // Options have empty texts for secrets.
  requests:
    `project_id root_id idempotency_key options version marks finished outcome scheduled begun template_id schedule_id
    occurrence late_ms missed`.split(/\s+/),
  // Secrets were removed from everything that came back from a page.
  captures:
    `project_id root_id position url name loading_time own_options state turn attempts deaths attempt due lease queued
    started finished reason detail cut seen changed`.split(/\s+/),
  secrets: ['project_id', 'root_id', 'position'],
  turns: ['project_id', 'used', 'waiting', 'since'],
  events: ['project_id', 'number', 'kind', 'root_id', 'position', 'created'],
  schedules:
    `project_id schedule_id name template_id cron timezone every overlap paused next due created changed revision
    last_root runs late skipped last_skipped problem_at`.split(/\s+/),
  webhooks:
    `webhook_id project_id name events format paused created changed revision after turn next_due failing_since failing_ms
    last_failed off_since off_reason`.split(/\s+/),
  deliveries:
    `delivery_id project_id webhook_id number event root_id position created state attempts due since attempt lease last_at
    last_ms last_status finished`.split(/\s+/),
  templates: ['project_id', 'template_id', 'name', 'created', 'changed', 'revision', 'last_root'],
  ended_sessions: ['session', 'owner', 'day'],
  session_days: ['one', 'day', 'begun'],
  identity: ['name', 'value'],
  times: ['name', 'time'],
}

/** Only for an older version on the same PostgreSQL. */
const OLD = ['width', 'height', 'full_page', 'tags', 'fail_on'].map((column) => `requests.${column}`)

const COLUMNS = {
  SQLite: `select t.name as table_name, c.name as column_name from sqlite_schema as t, pragma_table_info(t.name) as c
    where t.type = 'table' and t.name not like 'sqlite_%'`,
  PostgreSQL:
    'select table_name, column_name from information_schema.columns where table_schema = current_schema()',
}

const MARK = 'T00SLACK'
const SEALED = `1.k1.${MARK}`

/** No secret remains when a project is removed. `rows`: read past the store. */
export function removedSecretsSuite(name: keyof typeof COLUMNS, driver: StoreDriver, rows: ReadRows): void {
  /** A project with a secret in every place that can hold one. */
  const fill = async (store: Store) => {
    const projectId = await makeProject(store)
    const { secret } = await makeKey(store, projectId)
    const request = `{"urls":["${MARK}"]}`
    const template = {
      projectId,
      templateId: randomUUID(),
      name: 'Mine',
      request,
      sealed: SEALED,
      created: NOW,
    }
    await store.templates.create(template)
    await store.schedules.create(newSchedule(projectId, { request, sealed: SEALED }))
    const webhook = newWebhook(projectId, {
      url: `https://hooks.slack.example/services/${MARK}`,
      secrets: [{ sealed: SEALED }, { sealed: `${SEALED}2`, until: NOW * 2 }],
    })
    await store.webhooks.create(webhook, LIMIT)
    await finishRoot(store, projectId)
    await spreadAll(store)
    const [first, ...rest] = await takeDeliveries(store)
    if (!first) throw new Error('there must be a delivery')
    const how = { ...DELIVERED, last: { ...DELIVERED.last, answer: MARK, problem: MARK } }
    await store.deliveries.end([{ attempt: first, how }], { now: NOW })
    const asked = newRequest(projectId, { options: { headers: { authorization: '' } } })
    const sealed = somePages(2).map((page) => ({ ...page, sealed: SEALED }))
    await store.captures.accept({ ...asked, pages: sealed })
    const task = (await store.captures.takeNext({ now: NOW, leaseMs: 20_000 })) as CaptureTask
    const delivery = rest[0] ?? (await takeDeliveries(store))[0]
    return { projectId, secret, webhook, task, delivery, asked }
  }
  const countOf = async (place: string, projectId: string) => {
    const counts = Object.keys(SECRET).map(async (table) => {
      const [row] = await rows(place, `select count(*) as n from ${table} where project_id = '${projectId}'`)
      return [table, Number(row?.['n'])] as const
    })
    return Object.fromEntries(await Promise.all(counts))
  }
  const findMark = async (place: string) => {
    const found = await Promise.all(
      Object.entries(SECRET).flatMap(([table, secret]) =>
        secret.map(async (column) => {
          const [row] = await rows(
            place,
            `select count(*) as n from ${table} where ${column} like '%${MARK}%'`,
          )
          return Number(row?.['n']) > 0 ? [`${table}.${column}`] : []
        }),
      ),
    )
    return found.flat()
  }
  const NONE = Object.fromEntries(Object.keys(SECRET).map((table) => [table, 0]))

  describe(`${name}: secrets of a removed project`, () => {
    test('every column of every table is listed as holding secrets or none', async () => {
      const place = await driver.newPlace()
      await driver.open(place)
      const found = (await rows(place, COLUMNS[name])).map(
        (row) => `${row['table_name']}.${row['column_name']}`,
      )
      const known = [SECRET, PLAIN].flatMap((tables) =>
        Object.entries(tables).flatMap(([table, names]) => names.map((column) => `${table}.${column}`)),
      )
      const isNew = (column: string) => !column.startsWith('kysely_') && !OLD.includes(column)
      expect(found.filter(isNew).toSorted()).toEqual(known.toSorted())
    })

    test('are removed when the project is hidden, and those of another project stay', async () => {
      const place = await driver.newPlace()
      const store = await driver.open(place)
      const other = await fill(store)
      const before = await countOf(place, other.projectId)
      for (const count of Object.values(before)) expect(count).toBeGreaterThan(0)
      const { projectId, secret } = await fill(store)
      expect(await countOf(place, projectId)).toEqual(before)
      const pieces = store.removals.removeProject(projectId, NOW)
      expect(await pieces.next()).toEqual({ done: false, value: [] })
      await pieces.return(undefined)
      expect(await countOf(place, projectId)).toEqual(NONE)
      expect(await store.findKey(hashApiKey(secret))).toBeUndefined()
      expect(await countOf(place, other.projectId)).toEqual(before)
      await Array.fromAsync(store.removals.removeProject(other.projectId, NOW))
      expect(await findMark(place)).toEqual([])
    })

    test('are never seen while the project is already hidden', async () => {
      const place = await driver.newPlace()
      const store = await driver.open(place)
      const { projectId } = await fill(store)
      const holders = Object.keys(SECRET).map((table) => `(select count(*) from ${table})`)
      const look = `select removed, ${holders.join(' + ')} as n from projects where project_id = '${projectId}'`
      const removal = store.removals.removeProject(projectId, NOW).next()
      let isOver = false
      void removal.finally(() => {
        isOver = true
      })
      while (!isOver) {
        const [row] = await rows(place, look)
        if (row?.['removed'] !== null) expect(Number(row?.['n'])).toBe(0)
      }
      await removal
    })

    test('are removed in the first step, however many there are', async () => {
      const place = await driver.newPlace()
      const store = await driver.open(place)
      const { projectId, webhook } = await fill(store)
      const pages = somePages(500).map((page) => ({ ...page, sealed: SEALED }))
      for (let count = 0; count < 5; count++) await store.captures.accept({ ...newRequest(projectId), pages })
      const others = Array.from({ length: 4 }, () => newWebhook(projectId))
      for (const other of others) await store.webhooks.create(other, LIMIT)
      for (const each of [webhook, ...others])
        for (let count = 0; count < 90; count++) await store.webhooks.addTest(each, NOW)
      const pieces = store.removals.removeProject(projectId, NOW)
      await pieces.next()
      await pieces.return(undefined)
      expect(await countOf(place, projectId)).toEqual(NONE)
    })

    test('let work under way end quietly', async () => {
      const store = await driver.open(await driver.newPlace())
      const { projectId, webhook, task, delivery } = await fill(store)
      await store.removals.removeProject(projectId, NOW).next()
      if (!delivery) throw new Error('there must be a delivery under way')
      const ends = [{ attempt: delivery, how: DELIVERED }]
      expect(await store.deliveries.end(ends, { now: NOW })).toEqual([false])
      const later = { now: NOW + 3_600_000, leaseMs: 60_000 }
      const nothing = { events: false, due: false, lost: false, ahead: false }
      expect(await store.deliveries.findWork(later)).toEqual(nothing)
      expect(await store.deliveries.giveBackLost({ ...later, own: new Set() })).toBe(0)
      expect(await store.webhooks.addTest(webhook, NOW)).toBeUndefined()
      expect(await store.webhooks.find(webhook)).toBeUndefined()
      expect(await store.captures.finish(task, PICTURE, NOW)).toBe(true)
      await Array.fromAsync(store.removals.removeProject(projectId, NOW))
      expect(await store.removals.forgetProject(projectId)).toBe(true)
    })

    test('cause no deadlock with captures, runs and deliveries at the same moment', async () => {
      const place = await driver.newPlace()
      const stores = [await driver.open(place), await driver.open(place)] as const
      for (let round = 0; round < 3; round++) {
        const [one, two] = stores
        const { projectId, webhook, task, delivery, asked } = await fill(one)
        const { templateId } = (await one.templates.page(projectId, { limit: 1 }))[0] ?? {}
        const work = [
          two.captures.finish(task, PICTURE, NOW),
          ...(delivery ? [two.deliveries.end([{ attempt: delivery, how: DELIVERED }], { now: NOW })] : []),
          one.webhooks.addTest(webhook, NOW),
          ...[one, two].map((store) =>
            store.captures.accept({
              ...{
                ...asked,
                rootId: randomUUID(),
                origin: templateId === undefined ? undefined : { templateId },
              },
              pages: somePages(3).map((page) => ({ ...page, sealed: SEALED })),
            }),
          ),
        ]
        const ended = await Promise.allSettled([
          ...work,
          ...stores.map(async (store) => {
            const pieces = store.removals.removeProject(projectId, NOW)
            await pieces.next()
            await pieces.return(undefined)
          }),
        ])
        const failures = ended.flatMap((each) => (each.status === 'rejected' ? [each.reason.code] : []))
        expect(failures.filter((code) => code !== 'not_found')).toEqual([])
        expect(await countOf(place, projectId)).toEqual(NONE)
        await Array.fromAsync(one.removals.removeProject(projectId, NOW))
      }
    })
  })
}
