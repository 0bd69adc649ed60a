import { describe, expect, test } from 'vitest'
import type { Note } from '../../src/contract/seen.ts'
import type { Failed } from '../../src/store/captures.ts'
import {
  begin,
  bothDatabases,
  DONE,
  finishNext,
  newPage,
  newRequest,
  readStatus,
  startAccepting,
} from '../support/http/requests.ts'
import { usePostgres } from '../support/servers/use-servers.ts'
import { newSeen } from '../support/store/captures.ts'

const postgres = usePostgres()

const STEPS = {
  clicks: [{ elementId: '#menu', loadingTime: 5 }],
  waitFor: '#chart',
  delay: 5,
  hide: ['.ad'],
  css: 'p {}',
  element: 'main',
}
const NOTES: Note[] = [
  { note: 'click', detail: '“#menu” was not clicked.' },
  { note: 'hide', detail: '.ad was not hidden.' },
]

describe.each(bothDatabases(postgres))('the steps of a page (%s)', (_, world) => {
  test('reach the camera, and are in the status: as requested, with notes about what failed', async () => {
    const service = await startAccepting(await world())
    const { store } = service
    const rootId = await service.accept(1, {
      screenshotParameter: { width: 1200, height: 720, ...STEPS },
      urls: [newPage(0), { ...newPage(1), waitFor: '#other' }, newPage(2), newPage(3)],
    })
    const first = await begin(store, rootId)
    expect(first.options).toMatchObject(STEPS)
    await store.captures.finish(first, { ...DONE, seen: newSeen({ notes: NOTES }) }, 2)
    for (const reason of ['login', 'wait_for', 'element'] as const) {
      const failed: Failed = {
        reason,
        detail: `It was ${reason}.`,
        seen: newSeen({ notes: NOTES.slice(0, 1) }),
      }
      await finishNext(store, rootId, failed)
    }
    const { options, urls } = await readStatus(service, rootId)
    expect(options).toMatchObject(STEPS)
    expect(urls).toMatchObject([
      { state: 'done', notes: NOTES, seen: { notes: NOTES } },
      { reason: 'login', detail: 'It was login.', notes: NOTES.slice(0, 1), options: { waitFor: '#other' } },
      { reason: 'wait_for' },
      { reason: 'element' },
    ])
    const plain = await service.accept(1, newRequest())
    await finishNext(store, plain)
    expect((await readStatus(service, plain)).urls[0]).not.toHaveProperty('notes')
  })
})
