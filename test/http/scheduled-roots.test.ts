import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Template } from '../../src/contract/templates.ts'
import { jobIdOf, listRoots, refusal, withoutRequestId } from '../support/http/request-answers.ts'
import { bothDatabases, newPage, newRequest, readStatus } from '../support/http/requests.ts'
import { type Scheduling, startScheduling } from '../support/http/schedules.ts'
import { newTemplate } from '../support/http/templates.ts'
import { usePostgres } from '../support/servers/use-servers.ts'
import { makeKey, makeProject, rootsUrl } from '../support/store/results.ts'

const postgres = usePostgres()
const MINUTE = 60_000

const scheduleOf = (service: Scheduling, rootId: string, projectId = service.projectId) =>
  `${service.url}${rootsUrl(projectId)}/${rootId}/schedule`
const cancel = async (service: Scheduling, rootId: string) =>
  await fetch(scheduleOf(service, rootId), { method: 'DELETE' })
const take = async ({ store, now }: Scheduling, rootId: string) =>
  await store.captures.takeNext({ now, leaseMs: 1_000, rootId })

describe.each(bothDatabases(postgres))('a scheduled root (%s)', (_, world) => {
  test('exists at once, without jobs, and is captured when its time has come', async () => {
    const service = await startScheduling(await world())
    const scheduled = service.now + 5 * MINUTE
    const rootId = await service.accept(2, { scheduleDescription: { value: 5, unit: 'm' } })
    expect(await listRoots(service)).toMatchObject([{ rootId, jobs: [] }])
    const before = await readStatus(service, rootId)
    expect(before).toMatchObject({ state: 'scheduled', scheduled, counts: { total: 2, scheduled: 2 } })
    expect(before.urls.map(({ state }) => state)).toEqual(['scheduled', 'scheduled'])
    expect(await take(service, rootId)).toBeUndefined()
    await service.passTo(scheduled)
    const after = await readStatus(service, rootId)
    expect(after).toMatchObject({ state: 'queued', scheduled, counts: { total: 2, queued: 2 } })
    expect(after).not.toHaveProperty('lateMs')
    expect(await take(service, rootId)).toMatchObject({ position: 0 })
    expect(await refusal(await cancel(service, rootId))).toEqual([409, 'conflict'])
  })

  test('can be cancelled, even twice, and then never runs', async () => {
    const service = await startScheduling(await world())
    const scheduledTs = service.now + 5 * MINUTE
    const rootId = await service.accept(2, { scheduledTs })
    for (let time = 0; time < 2; time++) expect((await cancel(service, rootId)).status).toBe(204)
    const other = await service.accept(1, { scheduledTs })
    await service.passTo(scheduledTs + 1)
    expect(await readStatus(service, other)).toMatchObject({ state: 'queued' })
    expect(await readStatus(service, rootId)).toMatchObject({
      ...{ state: 'cancelled', scheduled: scheduledTs, counts: { total: 2, queued: 0, cancelled: 2 } },
    })
    expect(await take(service, rootId)).toBeUndefined()
    expect(service.logLines.join('')).toContain('scheduled root cancelled')
  })

  test('that begins after downtime says how late it is', async () => {
    const service = await startScheduling(await world())
    const rootId = await service.accept(1, { scheduledTs: service.now + MINUTE })
    await service.passTo(service.now + 61 * MINUTE)
    const { lateMs = 0 } = await readStatus(service, rootId)
    // By the clock of the database.
    expect(Math.abs(lateMs - 60 * MINUTE)).toBeLessThan(MINUTE)
  })

  test('can come from a template, too', async () => {
    const service = await startScheduling(await world())
    const templates = `${service.url}/api/projects/${service.projectId}/templates`
    const post = async (path: string, body: object) =>
      await fetch(templates + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const { templateId } = (await (await post('', newTemplate())).json()) as Template
    const scheduledTs = service.now + MINUTE
    const ran = [
      await jobIdOf(await post(`/${templateId}`, { scheduledTs, urls: [newPage(7)] })),
      await jobIdOf(await post(`/${templateId}`, { scheduleDescription: { value: 1, unit: 'm' } })),
    ]
    for (const rootId of ran)
      expect(await readStatus(service, rootId)).toMatchObject({
        ...{ state: 'scheduled', scheduled: scheduledTs, templateId },
      })
    await cancel(service, ran[1] ?? '')
    await service.passTo(scheduledTs)
    const states = await Promise.all(ran.map(async (rootId) => (await readStatus(service, rootId)).state))
    expect(states).toEqual(['queued', 'cancelled'])
    expect(await take(service, ran[0] ?? '')).toMatchObject({ url: newPage(7).url })
  })
})

test('a repeated request finds its scheduled root; one for another time is another request', async () => {
  const service = await startScheduling()
  const scheduledTs = service.now + MINUTE
  const ask = async (more: object) =>
    await service.post({ ...newRequest(), ...more }, { headers: { 'idempotency-key': 'k' } })
  const rootId = await jobIdOf(await ask({ scheduledTs }))
  expect(await jobIdOf(await ask({ scheduledTs }))).toBe(rootId)
  for (const more of [{}, { scheduledTs: scheduledTs + 1 }, { scheduleDescription: { value: 1, unit: 'm' } }])
    expect(await refusal(await ask(more))).toEqual([409, 'conflict'])
  const other = async (minutes: number) =>
    await service.post(
      { ...newRequest(), scheduleDescription: { value: minutes, unit: 'm' } },
      { headers: { 'idempotency-key': 'l' } },
    )
  const relative = await jobIdOf(await other(5))
  service.now += 1_000
  expect(await jobIdOf(await other(5))).toBe(relative)
  expect((await readStatus(service, relative)).scheduled).toBe(service.now - 1_000 + 5 * MINUTE)
})

test.each([
  [{ scheduledTs: 1_794_710_277 }, '#/scheduledTs'],
  [{ scheduledTs: '2026-01-01' }, '#/scheduledTs'],
  [{ scheduledTs: 1e18 }, '#/scheduledTs'],
  [{ scheduledTs: -1 }, '#/scheduledTs'],
  [{ scheduleDescription: { value: 5 } }, '#/scheduleDescription/unit'],
  [{ scheduleDescription: { value: 5, unit: 'w' } }, '#/scheduleDescription/unit'],
  [{ scheduleDescription: { value: 1e9, unit: 'd' } }, '#/scheduleDescription/value'],
])('%j is refused', async (more, pointer) => {
  const service = await startScheduling()
  expect(await refusal(await service.post({ ...newRequest(), ...more }))).toEqual([
    400,
    'bad_request',
    pointer,
  ])
})

test('a past time and an empty one mean at once; scheduledTs takes precedence', async () => {
  const service = await startScheduling()
  const scheduleDescription = { value: 5, unit: 'm' }
  for (const more of [{ scheduledTs: service.now - 1, scheduleDescription }, { scheduledTs: null }])
    expect(await readStatus(service, await service.accept(1, more))).not.toHaveProperty('scheduled')
  const both = { scheduledTs: service.now + 1_000, scheduleDescription }
  expect(await readStatus(service, await service.accept(1, both))).toMatchObject({
    scheduled: service.now + 1_000,
  })
})

test('too many scheduled pages are refused, and pages that wait now do not count', async () => {
  const service = await startScheduling({ MAX_PAGES_SCHEDULED: '2', MAX_PAGES_WAITING: '1' })
  const later = { scheduledTs: service.now + MINUTE }
  const ask = async (pages: number, more: object = {}) =>
    (await service.post({ ...newRequest(pages), ...more })).status
  expect([await ask(1), await ask(2, later), await ask(1, later), await ask(1)]).toEqual([201, 201, 429, 429])
})

test('a root that is unknown, malformed or foreign cannot be cancelled, nor with a key that can only read', async () => {
  const service = await startScheduling({ AUTH: 'keys' })
  const as = (key: { secret: string }) => ({ authorization: `Bearer ${key.secret}` })
  const [write, read] = [
    as(await makeKey(service.store, service.projectId, 'write')),
    as(await makeKey(service.store, service.projectId)),
  ]
  const other = await makeProject(service.store)
  const stranger = as(await makeKey(service.store, other, 'write'))
  const body = { ...newRequest(), scheduledTs: service.now + MINUTE }
  const rootId = await jobIdOf(await service.post(body, { headers: write }))
  const remove = (address: string, headers: Record<string, string>) =>
    fetch(address, { method: 'DELETE', headers })
  const answers = await Promise.all([
    withoutRequestId(await remove(scheduleOf(service, randomUUID()), write)),
    withoutRequestId(await remove(scheduleOf(service, 'x'), write)),
    withoutRequestId(await remove(scheduleOf(service, rootId), stranger)),
    withoutRequestId(await remove(scheduleOf(service, rootId, other), stranger)),
  ])
  expect(answers[0]?.[0]).toBe(404)
  expect(new Set(answers.map(String)).size).toBe(1)
  expect(await refusal(await remove(scheduleOf(service, rootId), read))).toEqual([403, 'forbidden'])
  expect((await remove(scheduleOf(service, rootId), write)).status).toBe(204)
})
