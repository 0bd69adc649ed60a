import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Problem } from '../../src/contract/problem.ts'
import type { Schedule } from '../../src/contract/schedules.ts'
import { refusal, UUID, withoutRequestId } from '../support/http/request-answers.ts'
import { bothDatabases, finishNext, newPage, newRequest, readStatus } from '../support/http/requests.ts'
import { newSchedule, startScheduling } from '../support/http/schedules.ts'
import { newTemplate } from '../support/http/templates.ts'
import { usePostgres } from '../support/servers/use-servers.ts'
import { makeKey, makeProject, rootsUrl } from '../support/store/results.ts'

const postgres = usePostgres()
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const hoursFrom = (start: number, first = 1) => [0, 1, 2, 3, 4].map((index) => start + (first + index) * HOUR)

describe.each(bothDatabases(postgres))('schedules (%s)', (_, world) => {
  test('are created, listed, read, changed, paused, resumed and removed', async () => {
    const service = await startScheduling(await world())
    const made = await service.ask('POST', '', newSchedule())
    expect([made.status, made.headers.get('cache-control')]).toEqual([201, 'no-store'])
    const schedule = (await made.json()) as Schedule
    const { scheduleId, created } = schedule
    // By the clock of the database.
    expect(Math.abs(created - service.now)).toBeLessThan(MINUTE)
    expect(schedule).toEqual({
      ...newSchedule({ scheduleId: expect.stringMatching(UUID), overlap: 'skip', paused: false }),
      ...{ next: hoursFrom(created), created, changed: created, runs: 0, late: 0, skipped: 0 },
    })
    const at = `/${scheduleId}`
    expect(made.headers.get('location')).toBe(
      `${service.url}/api/projects/${service.projectId}/schedules${at}`,
    )
    expect(await service.read(schedule)).toEqual({ schedule, etag: made.headers.get('etag') })
    expect(await (await service.ask('GET')).json()).toEqual([schedule])

    service.now += 1_000
    const change = newSchedule({
      name: 'Nightly',
      every: null,
      cron: '30 2 * * *',
      timezone: 'Europe/Berlin',
    })
    const changed = await service.ask('PUT', at, change, { 'if-match': made.headers.get('etag') ?? '' })
    const nightly = (await changed.json()) as Schedule
    expect([changed.status, nightly]).toMatchObject([
      200,
      { scheduleId, name: 'Nightly', cron: '30 2 * * *', timezone: 'Europe/Berlin', created },
    ])
    const night = Date.UTC(2026, 2, 2, 1, 30)
    expect(nightly.next).toEqual([0, 1, 2, 3, 4].map((day) => night + day * 24 * HOUR))
    expect(nightly).not.toHaveProperty('every')
    const stale = { 'if-match': made.headers.get('etag') ?? '' }
    expect(await refusal(await service.ask('PUT', at, change, stale))).toEqual([412, 'precondition_failed'])
    expect(await refusal(await service.ask('DELETE', at, undefined, stale))).toEqual([
      ...[412, 'precondition_failed'],
    ])

    const paused = await service.ask('PUT', at, { ...change, paused: true })
    expect(await paused.json()).toMatchObject({ paused: true, next: [] })
    await service.passTo(night + HOUR)
    expect((await service.read(schedule)).schedule).toMatchObject({ paused: true, next: [], runs: 0 })
    const resumed = (await (await service.ask('PUT', at, change)).json()) as Schedule
    expect([resumed.paused, resumed.next[0]]).toEqual([false, night + 24 * HOUR])

    const { etag } = await service.read(schedule)
    const removed = await service.ask('DELETE', at, undefined, { 'if-match': etag })
    expect([removed.status, await removed.text()]).toEqual([204, ''])
    expect((await service.ask('GET', at)).status).toBe(404)
    expect(await (await service.ask('GET')).json()).toEqual([])
    const acts = service.logLines
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg?.startsWith('schedule'))
    expect(acts.map(({ msg }) => msg)).toEqual([
      ...['schedule created', 'schedule changed', 'schedule changed', 'schedule changed'],
      'schedule removed',
    ])
    expect(acts.every((act) => act.scheduleId === scheduleId)).toBe(true)
  })

  test('create roots at their times, report late and missed ones, and keep their ETag', async () => {
    const service = await startScheduling(await world())
    const schedule = await service.make({ overlap: 'run' })
    const { etag } = await service.read(schedule)
    const { scheduleId, created } = schedule
    const lastOf = async () => (await service.read(schedule)).schedule
    await service.passTo(created + HOUR + 10)
    const first = await lastOf()
    expect(first).toMatchObject({ runs: 1, late: 0, next: hoursFrom(created, 2), last: { state: 'queued' } })
    const status = await readStatus(service, first.last?.rootId ?? '')
    expect(status.schedule).toEqual({ scheduleId, occurrence: created + HOUR })

    // The service did not run for five hours: one root, which says so.
    await service.passTo(created + 7 * HOUR - MINUTE)
    const second = await lastOf()
    expect(second).toMatchObject({ runs: 2, late: 1, next: hoursFrom(created, 7) })
    const late = await readStatus(service, second.last?.rootId ?? '')
    expect(late.schedule).toMatchObject({ scheduleId, occurrence: created + 2 * HOUR, missed: 4 })
    expect(Math.abs((late.schedule?.lateMs ?? 0) - (5 * HOUR - MINUTE))).toBeLessThan(MINUTE)
    expect((await service.read(schedule)).etag).toBe(etag)
  })

  test('skip a time while the previous root is unfinished, and report it, unless overlap is allowed', async () => {
    const service = await startScheduling(await world())
    const skips = await service.make()
    const runs = await service.make({ overlap: 'run' })
    const both = async () =>
      [(await service.read(skips)).schedule, (await service.read(runs)).schedule] as const
    await service.passTo(skips.created + HOUR + MINUTE)
    const [before] = await both()
    await service.passTo(skips.created + 2 * HOUR + MINUTE)
    const [skipped, ran] = await both()
    expect(skipped).toMatchObject({ runs: 1, skipped: 1, lastSkipped: skips.created + 2 * HOUR })
    expect(ran).toMatchObject({ runs: 2, skipped: 0 })
    expect(ran).not.toHaveProperty('lastSkipped')
    expect(service.logLines.join('')).toContain('a schedule is skipped: its previous root is unfinished')
    await finishNext(service.store, before.last?.rootId ?? '')
    await service.passTo(skips.created + 3 * HOUR + MINUTE)
    expect((await both()).map((each) => [each.runs, each.skipped])).toEqual([
      [2, 1],
      [3, 0],
    ])
  })

  test('can be run by hand, even twice at once, whatever their times', async () => {
    const service = await startScheduling(await world())
    const schedule = await service.make({ paused: true })
    const run = async () => {
      const response = await service.ask('POST', `/${schedule.scheduleId}/run`)
      return [response.status, ((await response.json()) as { jobId: string }).jobId] as const
    }
    const ran = await Promise.all([run(), run(), run()])
    expect(ran.map(([status]) => status)).toEqual([201, 201, 201])
    expect(new Set(ran.map(([, rootId]) => rootId)).size).toBe(3)
    for (const [, rootId] of ran)
      expect((await readStatus(service, rootId)).schedule).toMatchObject({ scheduleId: schedule.scheduleId })
    expect((await service.read(schedule)).schedule).toMatchObject({ runs: 3, next: [] })
  })

  test('run a template as it is at that time, and keep it from being removed', async () => {
    const service = await startScheduling(await world())
    const templates = `${service.url}/api/projects/${service.projectId}/templates`
    const send = async (method: string, path: string, body?: object) =>
      await fetch(templates + path, {
        method,
        ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      })
    const { templateId } = (await (await send('POST', '', newTemplate())).json()) as { templateId: string }
    const schedule = await service.make({ request: undefined, templateId, overlap: 'run' })
    expect(schedule).toMatchObject({ templateId })
    expect(schedule).not.toHaveProperty('request')
    await send('PUT', `/${templateId}`, newTemplate({ urls: newRequest(3).urls }))
    await service.passTo(schedule.created + HOUR + 10)
    const { last } = (await service.read(schedule)).schedule
    expect(await readStatus(service, last?.rootId ?? '')).toMatchObject({ templateId, counts: { total: 3 } })
    expect(await refusal(await send('DELETE', `/${templateId}`))).toEqual([409, 'conflict'])
    await service.ask('DELETE', `/${schedule.scheduleId}`)
    expect((await send('DELETE', `/${templateId}`)).status).toBe(204)
  })

  test('that are unknown, malformed or foreign get the same answer from every operation', async () => {
    const service = await startScheduling(await world())
    const { scheduleId } = await service.make()
    const other = await makeProject(service.store)
    const at = (projectId: string, id: string) => `${service.url}/api/projects/${projectId}/schedules/${id}`
    for (const [method, more, body] of [
      ['GET', ''],
      ['PUT', '', newSchedule()],
      ['DELETE', ''],
      ['POST', '/run', {}],
    ] as const) {
      const addresses = [
        ...[at(service.projectId, randomUUID()), at(service.projectId, 'x'), at(other, scheduleId)],
        ...[at(randomUUID(), scheduleId), at('x', scheduleId)],
      ]
      const answers = await Promise.all(
        addresses.map(async (address) => {
          const headers = { 'content-type': 'application/json' }
          const sent = body && { headers, body: JSON.stringify(body) }
          return withoutRequestId(await fetch(address + more, { method, ...sent }))
        }),
      )
      expect(answers[0]?.[0]).toBe(404)
      expect(new Set(answers.map(String)).size).toBe(1)
    }
    expect((await service.ask('GET', `/${scheduleId}`)).status).toBe(200)
  })

  test('are listed in list pages, oldest first', async () => {
    const service = await startScheduling(await world())
    const made: string[] = []
    for (let index = 0; index < 3; index++) {
      service.now += 1_000
      made.push((await service.make()).scheduleId)
    }
    const ids = async (response: Response) =>
      ((await response.json()) as Schedule[]).map(({ scheduleId }) => scheduleId)
    const first = await service.ask('GET', '?limit=2')
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
    expect(await ids(first)).toEqual(made.slice(0, 2))
    const second = await fetch(next)
    expect([await ids(second), second.headers.get('link')]).toEqual([made.slice(2), null])
    const long = { ...newRequest(), screenshotParameter: { width: 1, height: 1, css: 'x'.repeat(9_000) } }
    long.urls = Array.from({ length: 40 }, (_, index) => ({ ...newPage(index), css: 'y'.repeat(9_000) }))
    for (let index = 0; index < 2; index++) {
      service.now += 1_000
      made.push((await service.make({ request: long })).scheduleId)
    }
    const seen: string[] = []
    for (let at: string | undefined = next; at !== undefined; ) {
      const response: Response = await fetch(at)
      const some = await ids(response)
      expect(some.length).toBeLessThanOrEqual(2)
      seen.push(...some)
      at = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
    }
    expect(seen).toEqual(made.slice(2))
    for (const wrong of ['?limit=0', '?cursor=x', '?cursor=MS54', '?limit=x'])
      expect((await service.ask('GET', wrong)).status).toBe(400)
  })
})

describe('a wrong schedule', () => {
  const mistakesOf = async (response: Response) => {
    const { errors = [] } = (await response.json()) as Problem
    return [response.status, ...errors.map(({ pointer, detail }) => `${pointer} ${detail}`)]
  }

  test('gets all mistakes at once, on creation and on change', async () => {
    const service = await startScheduling()
    const { scheduleId } = await service.make()
    const wrong = {
      name: '',
      cron: '61 2 * * *',
      timezone: 'Europe/Brelin',
      every: '6h',
      request: {
        screenshotParameter: { width: 0, height: 1 },
        urls: [{ url: 'x', name: '' }],
        scheduledTs: 5,
      },
      templateId: randomUUID(),
      overlap: 'stop',
    }
    const pointers = [
      ...['#/name', '#/overlap', '#/every', '#/timezone', '#/cron', '#/request', '#/request/scheduledTs'],
      ...['#/request/screenshotParameter/width', '#/request/urls/0/url', '#/request/urls/0/name'],
      '#/templateId',
    ]
    for (const response of [
      await service.ask('POST', '', wrong),
      await service.ask('PUT', `/${scheduleId}`, wrong),
    ]) {
      const [status, code, ...found] = await refusal(response)
      expect([status, code, found.toSorted()]).toEqual([400, 'bad_request', pointers.toSorted()])
    }
    for (const body of [null, 1, 'x', [], {}])
      expect((await service.ask('PUT', `/${scheduleId}`, body)).status).toBe(400)
    expect((await service.ask('POST')).status).toBe(400)
    expect((await service.read({ scheduleId } as Schedule)).schedule.name).toBe('Hourly')
  })

  test.each([
    [{ every: null }, '# must have cron, such as "0 2 * * *", or every, such as "6h"'],
    [{ every: '6 hours' }, '#/every must be a number with s, m, h or d, such as 6h'],
    [{ every: '30s' }, '#/every must not come more often than every 60 s (MIN_SCHEDULE_INTERVAL)'],
    [
      { timezone: 'Europe/Berlin' },
      expect.stringMatching(/^#\/timezone must be left out: it belongs to cron/),
    ],
    [{ request: null }, '# must have a templateId, or its own request'],
    [{ request: null, templateId: 'x' }, expect.stringMatching(/^#\/templateId must /)],
    [{ request: null, templateId: randomUUID() }, '#/templateId must be a template of this project'],
    [{ extra: 1 }, expect.stringMatching(/^#\/extra is not known; known are name, /)],
  ])('%j', async (more, mistake) => {
    const service = await startScheduling()
    expect(await mistakesOf(await service.ask('POST', '', newSchedule(more)))).toEqual([400, mistake])
  })

  test.each([
    [{ cron: '0 2 * *' }, /^#\/cron must have five fields, such as 0 2 \* \* \*: minute .*\. It has 4$/],
    [{ cron: '0 0 2 * * *' }, /^#\/cron must have five fields.* It has 6$/],
    [{ cron: '2026-03-01T12:00:00' }, /^#\/cron must have five fields/],
    [{ cron: '0 0 30 2 *' }, /^#\/cron must have a time in the future: there is no such day$/],
    [{ cron: '0 0 13 * +5' }, /^#\/cron must not contain \+: /],
    [{ cron: '? * * * *' }, /^#\/cron must not contain \?: /],
    [{ cron: '99 * * * *' }, /^#\/cron must be a cron expression, .*99/],
    [{ cron: '@reboot' }, /^#\/cron must be a cron expression, .*reboot/],
    [{ cron: '0 2 * * *', timezone: 'Berlin' }, /^#\/timezone must be .*did you mean Europe\/Berlin\?$/],
    [{ cron: '0 2 * * *', timezone: '+01:00' }, /^#\/timezone must be a time zone of the IANA database/],
    [{ cron: '0'.repeat(201) }, /^#\/cron must /],
  ])('with wrong times: %j', async (times, mistake) => {
    const service = await startScheduling()
    const expected = [400, expect.stringMatching(mistake)]
    expect(await mistakesOf(await service.ask('POST', '/preview', times))).toEqual(expected)
    expect(await mistakesOf(await service.ask('POST', '', newSchedule({ every: null, ...times })))).toEqual(
      expected,
    )
    expect(await (await service.ask('GET')).json()).toEqual([])
  })

  test('is refused if it is one too many', async () => {
    const service = await startScheduling({ MAX_SCHEDULES: '1' })
    await service.make()
    expect(await refusal(await service.ask('POST', '', newSchedule()))).toEqual([409, 'conflict'])
  })
})

test('the next times of a schedule are shown before it is created', async () => {
  const service = await startScheduling()
  const response = await service.ask('POST', '/preview', { cron: '0 9 * * MON-FRI', timezone: 'Asia/Tokyo' })
  const first = Date.UTC(2026, 2, 2)
  expect([response.status, await response.json()]).toEqual([
    200,
    { next: [0, 1, 2, 3, 4].map((day) => first + day * 24 * HOUR) },
  ])
  expect(await (await service.ask('GET')).json()).toEqual([])
})

test('a change that does not touch the times keeps a time that is due', async () => {
  const service = await startScheduling({ SCHEDULE_SPREAD: '6m' })
  let schedule = await service.make()
  const dueOf = async ({ scheduleId }: Schedule) =>
    (await service.store.schedules.find({ projectId: service.projectId, scheduleId }))?.next
  // The id determines the offset within the spread.
  while (((await dueOf(schedule))?.due ?? 0) - schedule.created - HOUR < MINUTE)
    schedule = await service.make()
  service.now = schedule.created + HOUR + 1_000
  const change = newSchedule({ name: 'Other' })
  const changed = (await (await service.ask('PUT', `/${schedule.scheduleId}`, change)).json()) as Schedule
  expect([changed.name, changed.next]).toEqual(['Other', hoursFrom(schedule.created)])
  await service.passTo(schedule.created + HOUR + 6 * MINUTE)
  expect((await service.read(schedule)).schedule).toMatchObject({
    runs: 1,
    next: hoursFrom(schedule.created, 2),
  })
  // Other times begin from now.
  const other = newSchedule({ every: '2h' })
  expect(await (await service.ask('PUT', `/${schedule.scheduleId}`, other)).json()).toMatchObject({
    next: [2, 4, 6, 8, 10].map((hours) => schedule.created + hours * HOUR),
  })
})

test('/metrics counts due times by outcome', async () => {
  const service = await startScheduling({ MAX_PAGES_WAITING: '3' })
  const { created } = await service.make({ overlap: 'run' })
  await service.make()
  await service.accept(1, { scheduledTs: created + 6 * HOUR })
  // Both run; the service is away for four hours; then no more pages may wait.
  for (const hours of [1, 5, 6]) await service.passTo(created + hours * HOUR + MINUTE)
  const lines = (await (await service.get('/metrics')).text()).split('\n')
  expect(lines.filter((line) => line.startsWith('proofsheet_schedule'))).toEqual([
    'proofsheet_schedule_times_total{outcome="made"} 3',
    'proofsheet_schedule_times_total{outcome="missed"} 3',
    'proofsheet_schedule_times_total{outcome="skipped"} 5',
    'proofsheet_schedule_times_total{outcome="failed"} 1',
    'proofsheet_schedule_due_total 12',
    'proofsheet_schedule_late_total 1',
    'proofsheet_scheduled_roots_begun_total 1',
  ])
})

test('simultaneous changes without If-Match all succeed', async () => {
  const service = await startScheduling()
  const { scheduleId } = await service.make()
  const statuses = await Promise.all(
    [1, 2, 3, 4].map(async (each) => {
      const change = newSchedule({ name: `Change ${each}` })
      return (await service.ask('PUT', `/${scheduleId}`, change)).status
    }),
  )
  expect(statuses).toEqual([200, 200, 200, 200])
})

test('the secrets of a schedule are kept, shown to nobody, and used by its roots', async () => {
  const service = await startScheduling()
  const headers = { authorization: 'Bearer 9f31' }
  const request = { ...newRequest(), screenshotParameter: { width: 800, height: 600, headers } }
  const schedule = await service.make({ request })
  expect(schedule.request?.screenshotParameter.headers).toEqual({ authorization: '' })
  const same = newSchedule({ name: 'Same secrets', request: schedule.request })
  expect((await service.ask('PUT', `/${schedule.scheduleId}`, same)).status).toBe(200)
  const elsewhere = { ...schedule.request, urls: [{ url: 'https://evil.example/', name: 'Evil' }] }
  const evil = await service.ask('PUT', `/${schedule.scheduleId}`, newSchedule({ request: elsewhere }))
  expect(await refusal(evil)).toEqual([
    ...[400, 'bad_request', '#/request/screenshotParameter/headers/authorization'],
  ])
  await service.passTo(schedule.created + HOUR + 10)
  const task = await service.store.captures.takeNext({ now: service.now, leaseMs: 1_000 })
  expect([task?.options.headers, task?.sealed]).toEqual([{ authorization: '' }, expect.any(String)])
  expect(service.logLines.join('')).not.toContain('9f31')
})

test('a key that can only read sees schedules and their times, and changes nothing', async () => {
  const service = await startScheduling({ AUTH: 'keys' })
  const write = await makeKey(service.store, service.projectId, 'write')
  const read = await makeKey(service.store, service.projectId)
  const stranger = await makeKey(service.store, await makeProject(service.store), 'write')
  const as = (key: { secret: string }) => ({ authorization: `Bearer ${key.secret}` })
  const made = await service.ask('POST', '', newSchedule(), as(write))
  const { scheduleId } = (await made.json()) as Schedule
  for (const [method, after, body] of [
    ['GET', ''],
    ['GET', `/${scheduleId}`],
    ['POST', '/preview', { every: '1h' }],
  ] as const) {
    expect((await service.ask(method, after, body, as(read))).status).toBe(200)
    expect((await service.ask(method, after, body, as(stranger))).status).toBe(404)
    expect((await service.ask(method, after, body)).status).toBe(401)
  }
  for (const [method, after, body] of [
    ['POST', '', newSchedule()],
    ['PUT', `/${scheduleId}`, newSchedule()],
    ['DELETE', `/${scheduleId}`],
    ['POST', `/${scheduleId}/run`, {}],
  ] as const) {
    expect(await refusal(await service.ask(method, after, body, as(read)))).toEqual([403, 'forbidden'])
    expect((await service.ask(method, after, body, as(stranger))).status).toBe(404)
    expect((await service.ask(method, after, body)).status).toBe(401)
  }
  const [line] = service.logLines.filter((each) => each.includes('schedule created'))
  expect(JSON.parse(line ?? '{}')).toMatchObject({ key: write.keyId, scheduleId })
  expect((await service.get(rootsUrl(service.projectId), as(read))).status).toBe(200)
})
