import { once } from 'node:events'
import { get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { acceptsGzip } from '../../src/http/answers/compression.ts'
import { startService } from '../support/http/service.ts'
import { addRows, makeProject, rootsUrl } from '../support/store/results.ts'

async function start(env: Record<string, string> = {}) {
  const service = await startService(env)
  const projectId = await makeProject(service.store)
  for (let index = 0; index < 20; index++)
    await addRows(service.store, projectId, { created: index, jobs: 30 })
  const read = async (headers: Record<string, string>, path = rootsUrl(projectId)) => {
    const [response] = await once(get(service.url + path, { headers }), 'response')
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk)
    return { headers: response.headers, body: Buffer.concat(chunks) }
  }
  return { service, projectId, read }
}

describe('a long answer', () => {
  test('is compressed if the client accepts it, and has the same content', async () => {
    const { read } = await start({ COMPRESS: 'always' })
    const plain = await read({})
    const gzip = await read({ 'accept-encoding': 'br, gzip' })
    expect([plain.headers['content-encoding'], gzip.headers['content-encoding']]).toEqual([undefined, 'gzip'])
    expect([plain.headers.vary, gzip.headers.vary]).toEqual(['accept-encoding', 'accept-encoding'])
    expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true)
    expect(gzip.body.length).toBeLessThan(plain.body.length / 4)
    expect(gzip.headers.etag).toBe(plain.headers.etag)
  })

  test.each([
    ['overviews', '/screenshots/overview'],
    ['a history', '/pages/history?url=https://example.com/'],
    ['a list page of a root', ''],
  ])('is compressed, too, for %s', async (_, path) => {
    const { service, projectId, read } = await start({ COMPRESS: 'always' })
    const rootId = await addRows(service.store, projectId, { jobs: 100 })
    const url =
      path === '' ? `${rootsUrl(projectId)}/${rootId}?limit=50` : `/api/projects/${projectId}${path}`
    const [plain, gzip] = [await read({}, url), await read({ 'accept-encoding': 'gzip' }, url)]
    expect([plain.headers['content-encoding'], gzip.headers['content-encoding']]).toEqual([undefined, 'gzip'])
    expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true)
    expect(plain.body.toString()).toBe(JSON.stringify(JSON.parse(plain.body.toString())))
  })

  test('is not compressed for a client on the same machine, nor if it is switched off', async () => {
    for (const env of [{}, { COMPRESS: 'never' }]) {
      const { read } = await start(env)
      expect((await read({ 'accept-encoding': 'gzip' })).headers['content-encoding']).toBeUndefined()
    }
  })

  test('that is aborted leaves nothing behind', async () => {
    const { service, projectId, read } = await start({ COMPRESS: 'always' })
    for (let index = 0; index < 20; index++) {
      const request = get(service.url + rootsUrl(projectId), { headers: { 'accept-encoding': 'gzip' } })
      const [response] = await once(request, 'response')
      response.pause()
      request.destroy()
    }
    while (service.logLines.filter((line) => line.includes('"msg":"request"')).length < 20) await sleep(10)
    expect(gunzipSync((await read({ 'accept-encoding': 'gzip' })).body).length).toBeGreaterThan(100_000)
    expect(service.logLines.join('')).not.toMatch(/"level":(50|60)/)
  })

  test('a short answer is not compressed', async () => {
    const { service, read } = await start({ COMPRESS: 'always' })
    const projectId = await makeProject(service.store)
    await addRows(service.store, projectId, { jobs: 10 })
    const { headers } = await read({ 'accept-encoding': 'gzip' }, rootsUrl(projectId))
    expect([headers['content-encoding'], Number(headers['content-length'])]).toEqual([
      undefined,
      expect.any(Number),
    ])
  })
})

test.each([
  ['gzip', true],
  ['GZIP;q=0.5, br', true],
  ['deflate, *', true],
  ['*;q=0', false],
  ['gzip;q=0, *', false],
  ['gzip;q=0.000', false],
  ['gzip;q=0.001', true],
  ['identity', false],
  ['', false],
])('Accept-Encoding: %s: %s', (header, expected) => {
  expect(acceptsGzip(header)).toBe(expected)
})
