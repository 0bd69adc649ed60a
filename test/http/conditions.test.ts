import { describe, expect, test } from 'vitest'
import { INSTANT, startService } from '../support/http/service.ts'
import { addRows, makeProject, rootsUrl } from '../support/store/results.ts'

const WINDOW = 12 * 3_600_000
const KEY_A = `a:${Buffer.alloc(32, 1).toString('base64')}`
const KEY_B = `b:${Buffer.alloc(32, 2).toString('base64')}`

async function serviceWithRoot(env: Record<string, string> = {}) {
  const service = await startService(env)
  const projectId = await makeProject(service.store)
  const rootId = await addRows(service.store, projectId)
  return {
    service,
    projectId,
    paths: [rootsUrl(projectId), `${rootsUrl(projectId)}/${rootId}`, `${rootsUrl(projectId)}?limit=1`],
  }
}

describe('conditional requests', () => {
  test('an unchanged answer is 304 without a body, with the same validators', async () => {
    const { service, paths } = await serviceWithRoot()
    for (const path of paths) {
      const first = await service.get(path)
      const etag = first.headers.get('etag') ?? ''
      expect(etag).toMatch(/^W\/"[\w-]{16}\.[\w-]{16}"$/)
      expect(first.headers.get('cache-control')).toBe('private, no-cache')
      for (const condition of [etag, etag.replace('W/', ''), `"other", ${etag}`, '*']) {
        const again = await service.get(path, { 'if-none-match': condition })
        expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag])
        expect(again.headers.get('cache-control')).toBe('private, no-cache')
      }
      const other = await service.get(path, { 'if-none-match': '"other"' })
      expect([other.status, await other.text()]).toEqual([200, await first.text()])
    }
  })

  test('a write to the project changes the ETag of the list, but not that of an unchanged root', async () => {
    const { service, projectId, paths } = await serviceWithRoot()
    const etags = await Promise.all(
      paths.map(async (path) => (await service.get(path)).headers.get('etag') ?? ''),
    )
    await addRows(service.store, projectId, { created: 1 })
    const statuses = await Promise.all(
      paths.map(
        async (path, index) => (await service.get(path, { 'if-none-match': etags[index] ?? '' })).status,
      ),
    )
    expect(statuses).toEqual([200, 304, 200])
  })

  test('a write to another project changes no ETag', async () => {
    const { service, paths } = await serviceWithRoot()
    const etag = (await service.get(paths[0] ?? '')).headers.get('etag') ?? ''
    await addRows(service.store, await makeProject(service.store))
    expect((await service.get(paths[0] ?? '', { 'if-none-match': etag })).status).toBe(304)
  })

  test('picture URLs and ETag stay the same for a whole signing window and change with the next', async () => {
    const { service, paths } = await serviceWithRoot()
    for (const path of paths) {
      service.now = Math.floor(INSTANT / WINDOW) * WINDOW
      const first = await service.get(path)
      const body = await first.text()
      const etag = first.headers.get('etag') ?? ''
      service.now += WINDOW - 1
      const last = await service.get(path)
      expect([last.headers.get('etag'), await last.text()]).toEqual([etag, body])
      service.now += 1
      const next = await service.get(path, { 'if-none-match': etag })
      expect(next.status).toBe(200)
      expect(await next.text()).not.toBe(body)
    }
  })

  test('a picture URL is always valid for at least one window and at most two', async () => {
    const { service, paths } = await serviceWithRoot()
    for (const offset of [0, 1, WINDOW / 2, WINDOW - 1, WINDOW, WINDOW + 999]) {
      service.now = INSTANT + offset
      const body = await (await service.get(paths[0] ?? '')).text()
      const expires = Number(/expires=(\d+)/.exec(body)?.[1]) * 1000
      expect(expires - service.now).toBeGreaterThanOrEqual(WINDOW)
      expect(expires - service.now).toBeLessThanOrEqual(2 * WINDOW)
    }
  })

  test('a new signing key and a new origin change the ETag', async () => {
    const { service, paths } = await serviceWithRoot({ SIGNING_KEYS: KEY_A })
    const path = paths[0] ?? ''
    const etag = (await service.get(path)).headers.get('etag') ?? ''
    await service.stop()
    const seen = new Set([etag])
    const changes = [
      { SIGNING_KEYS: `${KEY_B},${KEY_A}` },
      { SIGNING_KEYS: `a:${Buffer.alloc(32, 3).toString('base64')}` },
      { SIGNING_KEYS: KEY_A, PUBLIC_URL: 'https://shots.example.com' },
    ]
    for (const env of changes) {
      const changed = await startService({ DATA_DIR: service.dataDir, ...env })
      const response = await changed.get(path, { 'if-none-match': etag })
      expect(response.status).toBe(200)
      seen.add(response.headers.get('etag') ?? '')
      await changed.stop()
    }
    expect(seen.size).toBe(4)
  })

  test('a root of another project is 404 with any condition', async () => {
    const { service, paths } = await serviceWithRoot()
    const other = await makeProject(service.store)
    const path = (paths[1] ?? '').replace(/projects\/[^/]+/, `projects/${other}`)
    for (const condition of ['*', '"x"']) {
      expect((await service.get(path, { 'if-none-match': condition })).status).toBe(404)
    }
  })
})

describe('HEAD', () => {
  test('does not prepare the body', async () => {
    const { service, paths } = await serviceWithRoot()
    service.store.textsOf = () => Promise.reject(new Error('HEAD must not read jobs'))
    for (const path of paths) {
      expect([path, (await fetch(service.url + path, { method: 'HEAD' })).status]).toEqual([path, 200])
    }
    expect((await service.get(paths[1] ?? '')).status).toBe(500)
  })

  test('answers like GET, without a body', async () => {
    const { service, paths } = await serviceWithRoot()
    for (const path of paths) {
      const get = await service.get(path)
      const head = await fetch(service.url + path, { method: 'HEAD' })
      expect([head.status, await head.text()]).toEqual([200, ''])
      for (const name of ['etag', 'cache-control', 'content-type', 'link']) {
        expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)])
      }
      const condition = { 'if-none-match': get.headers.get('etag') ?? '' }
      expect((await fetch(service.url + path, { method: 'HEAD', headers: condition })).status).toBe(304)
    }
  })
})
