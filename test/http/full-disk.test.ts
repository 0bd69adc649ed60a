import { expect, test } from 'vitest'
import { AppError } from '../../src/errors.ts'
import type { DiskSpace } from '../../src/images/images.ts'
import { openEvents } from '../support/http/event-stream.ts'
import { eventsUrl, finishNext, readStatus, startAccepting } from '../support/http/requests.ts'
import type { TestService } from '../support/http/service.ts'

/** The error of a full disk. */
function fill({ images }: TestService, isFull: boolean): void {
  const room: DiskSpace = { totalBytes: 1_000, freeBytes: isFull ? 1 : 500, isFull, lacksInodes: false }
  const checkWriting = async () => {
    if (isFull) throw new AppError('storage_full', 'The disk that holds the pictures is full.')
  }
  Object.assign(images, { room: async () => room, checkWriting })
}

test('while the disk is full, a root says why it waits, /readyz is 503, and /metrics has the figures', async () => {
  const service = await startAccepting()
  fill(service, true)
  const rootId = await service.accept(2)
  expect(await readStatus(service, rootId)).toMatchObject({
    state: 'queued',
    waiting: { reason: 'storage_full', detail: expect.stringMatching(/disk .* is full/) },
  })
  const ready = await service.get('/readyz')
  expect([ready.status, await ready.json()]).toMatchObject([
    503,
    { code: 'storage_full', detail: expect.stringMatching(/disk that holds the pictures is full/) },
  ])
  expect((await service.get('/healthz')).status).toBe(200)
  service.now += 90_000
  const figures = (await (await service.get('/metrics')).text()).split('\n')
  expect(figures).toEqual(
    expect.arrayContaining([
      'proofsheet_queue_waiting 2',
      'proofsheet_queue_running 0',
      'proofsheet_queue_oldest_seconds 90',
      'proofsheet_storage_free_bytes 1',
      'proofsheet_storage_full 1',
    ]),
  )
  for (let page = 0; page < 2; page++) await finishNext(service.store, rootId)
  expect(await readStatus(service, rootId)).not.toHaveProperty('waiting')
})

test('events of a root report that it waits, and that it goes on', async () => {
  const service = await startAccepting()
  const rootId = await service.accept()
  fill(service, false)
  const events = await openEvents(service.url + eventsUrl(service.projectId, rootId))
  expect((await events.next())?.status).not.toHaveProperty('waiting')
  for (const isFull of [true, false]) {
    fill(service, isFull)
    // Something looks at the disk; a service that captures does so all the time.
    await expect
      .poll(async () => 'waiting' in (await readStatus(service, rootId)), { timeout: 30_000 })
      .toBe(isFull)
    const { status } = (await events.next()) ?? {}
    expect([status?.waiting?.reason, status?.urls]).toEqual([isFull ? 'storage_full' : undefined, []])
  }
  events.cut()
})
