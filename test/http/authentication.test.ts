import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { RootResult } from '../../src/contract/results.ts'
import { makeApiKey } from '../../src/store/api-key.ts'
import { startService } from '../support/http/service.ts'
import {
  addPictures,
  makeKey,
  makePng,
  makeProject,
  rootsUrl,
  submittedJob,
} from '../support/store/results.ts'

async function serviceWithKey(env: Record<string, string> = {}) {
  const service = await startService({ AUTH: 'keys', ...env })
  const projectId = await makeProject(service.store)
  const { rootId } = await addPictures(service, projectId, { jobs: [submittedJob(await makePng())] })
  return { service, projectId, rootId, ...(await makeKey(service.store, projectId)) }
}

describe('with required keys', () => {
  test('every request without a valid key is 401 with a challenge, even for unknown paths', async () => {
    const { service, projectId, rootId, secret } = await serviceWithKey()
    const paths = [
      rootsUrl(projectId),
      `${rootsUrl(projectId)}?limit=0`,
      `${rootsUrl(projectId)}/${rootId}`,
      `${rootsUrl(randomUUID())}/${randomUUID()}`,
      `${rootsUrl('%E0%A4%A')}`,
      '/nothing',
      '/docs',
      '/openapi.json',
      '/metrics',
    ]
    const credentials = [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      secret.slice(0, -1),
      `${secret}x`,
      makeApiKey(),
      'Basic dXNlcjpwYXNz',
    ]
    for (const path of paths) {
      for (const credential of credentials) {
        const response = await service.get(path, {
          ...(credential !== undefined && { authorization: credential }),
          'if-none-match': '*',
        })
        expect([path, credential, response.status]).toEqual([path, credential, 401])
        expect(response.headers.get('www-authenticate')).toBe('Bearer realm="proofsheet"')
        expect(await response.json()).toMatchObject({ code: 'unauthorized' })
      }
    }
    expect((await fetch(service.url + rootsUrl(projectId), { method: 'DELETE' })).status).toBe(401)
  })

  test('a key opens its project, sent as Bearer or bare, as by older clients', async () => {
    const { service, projectId, rootId, secret } = await serviceWithKey()
    for (const authorization of [secret, `Bearer ${secret}`, `bearer ${secret}`]) {
      expect((await service.get(rootsUrl(projectId), { authorization })).status).toBe(200)
      expect((await service.get(`${rootsUrl(projectId)}/${rootId}`, { authorization })).status).toBe(200)
    }
    const { secret: writing } = await makeKey(service.store, projectId, 'write')
    expect((await service.get(rootsUrl(projectId), { authorization: writing })).status).toBe(200)
  })

  test('a key of another project gets the same 404 as for an unknown project, whatever the path', async () => {
    const { service, projectId, rootId } = await serviceWithKey()
    const stranger = await makeProject(service.store)
    const { secret } = await makeKey(service.store, stranger)
    const ask = async (path: string) => {
      const response = await service.get(path, { authorization: secret, 'if-none-match': '*' })
      return [response.status, (await response.text()).replace(/"requestId":"[^"]+"/, '')]
    }
    const nothing = await ask(`${rootsUrl(stranger)}/${randomUUID()}`)
    expect(nothing[0]).toBe(404)
    for (const path of [
      rootsUrl(projectId),
      `${rootsUrl(projectId)}?limit=0`,
      `${rootsUrl(projectId)}/${rootId}`,
      rootsUrl(randomUUID()),
    ]) {
      expect(await ask(path)).toEqual(nothing)
    }
  })

  test('a revoked key is refused from the next request on', async () => {
    const { service, projectId, secret, keyId } = await serviceWithKey()
    expect((await service.get(rootsUrl(projectId), { authorization: secret })).status).toBe(200)
    await service.store.revokeKey(keyId, 2)
    expect((await service.get(rootsUrl(projectId), { authorization: secret })).status).toBe(401)
  })

  test('health checks and picture URLs need no key; the documentation opens to any key', async () => {
    const { service, projectId, secret } = await serviceWithKey()
    const [root] = (await (
      await service.get(rootsUrl(projectId), { authorization: secret })
    ).json()) as RootResult[]
    expect((await fetch(root?.jobs[0]?.data ?? '')).status).toBe(200)
    expect((await service.get('/healthz')).status).toBe(200)
    expect((await service.get('/readyz')).status).toBe(200)
    expect((await service.get('/docs', { authorization: secret })).status).toBe(200)
  })

  test('metrics need their own token, not a key', async () => {
    const token = 'a-token-for-prometheus'
    const { service, secret } = await serviceWithKey({ METRICS_TOKEN: token })
    expect((await service.get('/metrics', { authorization: `Bearer ${secret}` })).status).toBe(401)
    expect((await service.get('/metrics', { authorization: `Bearer ${token}x` })).status).toBe(401)
    expect((await service.get('/metrics', { authorization: `Bearer ${token}` })).status).toBe(200)
  })

  test('no key, no token and no signature is ever logged', async () => {
    const { service, projectId, secret } = await serviceWithKey()
    const [root] = (await (
      await service.get(rootsUrl(projectId), { authorization: secret })
    ).json()) as RootResult[]
    await fetch(root?.jobs[0]?.data ?? '')
    await fetch(`${root?.jobs[0]?.data}x`)
    for (const mark of ['%3F', ';', '&']) await fetch(root?.jobs[0]?.data.replace('?', mark) ?? '')
    await service.get(rootsUrl(projectId), { authorization: `Bearer ${secret}x` })
    await service.stop()
    const log = service.logLines.join('')
    expect(log).toContain('/images/')
    expect(log).not.toMatch(/psk_|signature=|expires=/)
  })
})

describe('without required keys', () => {
  test('a key that is sent anyway is ignored', async () => {
    const service = await startService()
    const projectId = await makeProject(service.store)
    expect((await service.get(rootsUrl(projectId), { authorization: 'whatever' })).status).toBe(200)
  })

  test('AUTH=open-to-everyone accepts any host name, and URLs in answers use it', async () => {
    const service = await startService({ AUTH: 'open-to-everyone', HOST: '0.0.0.0' })
    const projectId = await makeProject(service.store)
    await addPictures(service, projectId, { jobs: [submittedJob(await makePng())] })
    const { port } = new URL(service.url)
    const response = await fetch(`http://localhost:${port}${rootsUrl(projectId)}`)
    const [root] = (await response.json()) as RootResult[]
    expect(root?.jobs[0]?.data).toMatch(`http://localhost:${port}/images/`)
  })
})
