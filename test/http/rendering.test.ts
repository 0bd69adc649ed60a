import { hash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { historyPath, pagesPath, rootsPath } from '../../src/contract/paths.ts'
import { RENDERING, SHOWING } from '../../src/results/render.ts'
import { startService, type TestService } from '../support/http/service.ts'
import { bothDatabases } from '../support/servers/databases.ts'
import { useDatabases } from '../support/servers/use-servers.ts'
import { newRequest, newSeen, PICTURE } from '../support/store/captures.ts'
import { makeProject, newJob } from '../support/store/results.ts'

// Clients keep an answer for as long as its ETag stays the same. So the number in the ETag must change
// when the same rows are rendered as other bytes. If a test here fails: raise the number in the source (RENDERING, or
// SHOWING), then write the new number and the new digest here.
const ROOTS = { number: 3, digest: '9791bd53ab2b9d3173968b029fcdedb0686b8b5ea69a89a94c872fa4d97ede83' }
const SHOWN = { number: 1, digest: 'a43fb16c2c8a97e8e76eee7854746e723f4b4daf713071d5f5656f20251d3a39' }

const URL = 'https://example.com/?a="b"&c=\u2028'

/** The part that depends on the rows alone: ids are numbered by their first occurrence, URLs are removed. */
async function digestOf(service: TestService, paths: readonly string[]): Promise<string> {
  const ids = new Map<string, number>()
  const answers = await Promise.all(paths.map(async (path) => await (await service.get(path)).text()))
  const text = answers
    .join('\n')
    .replaceAll(/"(data|preview)":"[^"]*"/g, '"$1":"…"')
    .replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, (id) => {
      if (!ids.has(id)) ids.set(id, ids.size)
      return `id ${ids.get(id)}`
    })
  return hash('sha256', text)
}

describe.each(bothDatabases(useDatabases()))('%s: the bytes of an answer', (_, newDatabase) => {
  const start = async () => {
    const service = await startService({ ...(await newDatabase()), CAPTURE_CONCURRENCY: '0' })
    const { store } = service
    const projectId = await makeProject(store)
    const page = { url: URL, name: 'Ünïcode "quoted" \\ \n', loadingTime: 12_345 }
    const imported = [newJob({ ...page, basepath: '/a "b"' }), newJob({ name: '', created: 3 })]
    const root = { projectId, created: 1, digest: 'd' }
    const ids = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'] as const
    await store.addRoot({ ...root, rootId: ids[0], jobs: imported }, async () => {})
    await store.addRoot({ ...root, rootId: ids[1], jobs: [] }, async () => {})
    await store.captures.accept({ ...newRequest(projectId, { created: 2 }), pages: [page] })
    const task = await store.captures.takeNext({ now: 5, leaseMs: 1_000 })
    if (!task) throw new Error('nothing is due')
    const seen = newSeen({ title: 'A "title"', status: 404, marks: ['error', 'cut'] })
    await store.captures.finish(task, { ...PICTURE, seen }, 7)
    return { service, projectId, ids }
  }

  test('have the digests recorded for RENDERING and SHOWING', async () => {
    const { service, projectId, ids } = await start()
    const list = rootsPath(projectId)
    const roots = [list, ...ids.map((rootId) => `${list}/${rootId}`)]
    expect({ number: RENDERING, digest: await digestOf(service, roots) }).toEqual(ROOTS)
    const shown = [pagesPath(projectId), `${historyPath(projectId)}?url=${encodeURIComponent(URL)}`]
    expect({ number: SHOWING, digest: await digestOf(service, shown) }).toEqual(SHOWN)
  })
})
