import { once } from 'node:events'
import { cp, symlink } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { readGallery } from '../../src/http/operations/gallery.ts'
import { startService, type TestService } from '../support/http/service.ts'
import { start } from '../support/processes/process.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { stubCredentials, useS3 } from '../support/servers/use-servers.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const s3 = useS3()

const scriptOf = (html: string) => /<script type="module" crossorigin src="\.\/([^"]+)"/.exec(html)?.[1] ?? ''
const policyOf = (response: Response) => response.headers.get('content-security-policy') ?? ''

async function askFor(service: TestService, method: string, path: string) {
  const asked = request(service.url, { method, path, agent: false }).end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  answer.resume()
  return [answer.statusCode, answer.headers.location] as const
}

async function load(service: TestService, path = '/') {
  const response = await service.get(path)
  return { response, html: await response.text() }
}

test('each of its routes is the same document; other paths are not', async () => {
  const service = await startService()
  const { response, html } = await load(service)
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(response.headers.get('cache-control')).toBe('no-cache')
  for (const path of ['/projects/x', '/projects/x/roots/y?picture=z', '/projects/x/pages/history?url=u']) {
    expect((await load(service, path)).html).toBe(html)
  }
  for (const path of [
    '/nothing',
    '/index.html',
    '/assets/nothing.js',
    '/assets/..%2findex.html',
    '/assets/',
  ]) {
    const answer = await service.get(path)
    expect([path, answer.status, answer.headers.get('content-type')]).toEqual([
      path,
      404,
      'application/problem+json; charset=utf-8',
    ])
  }
  const again = await service.get('/', { 'if-none-match': response.headers.get('etag') ?? '' })
  expect(again.status).toBe(304)
  const post = await fetch(service.url, { method: 'POST' })
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})

test('URLs of Websiteshot redirect to the same root, even below a path, and do not reveal which roots exist', async () => {
  const service = await startService({ AUTH: 'keys', PUBLIC_URL: 'https://shots.example.com/proofs' })
  const project = 'projects/11111111-1111-4111-8111-111111111111'
  for (const [id, step] of [
    ['7f3c1a52-4b0e-4d53-9a55-0a4e1f0f2a10', '7f3c1a52-4b0e-4d53-9a55-0a4e1f0f2a10'],
    ['%2f%2fevil.example', '%2F%2Fevil.example'],
    ['%2e%2e', '-'],
    ['a%0d%0ab', 'a%0D%0Ab'],
  ]) {
    for (const method of ['GET', 'HEAD']) {
      // `fetch` would resolve %2e%2e itself.
      const [status, location = ''] = await askFor(service, method, `/${project}/screenshots/${id}`)
      expect([status, location]).toEqual([302, `../roots/${step}`])
      const there = new URL(location, `https://shots.example.com/proofs/${project}/screenshots/x`)
      expect(there.href).toBe(`https://shots.example.com/proofs/${project}/roots/${step}`)
    }
  }
  expect((await load(service, `/${project}/roots/x`)).response.status).toBe(200)
})

test('nothing runs or loads from elsewhere: one policy, no inline script and no inline style', async () => {
  const { response, html } = await load(await startService())
  expect(policyOf(response)).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/)
  expect(policyOf(response)).toContain("frame-ancestors 'none'")
  expect(policyOf(response)).not.toContain('unsafe')
  expect(html).not.toMatch(/<script(?![^>]* src="\.\/assets\/)[^>]*>/)
  expect(html).not.toMatch(/<style|style=|\son\w+=|https?:\/\//)
})

test('its files are cached forever, because their names contain a hash, and are sent compressed', async () => {
  const service = await startService()
  const path = `/${scriptOf((await load(service)).html)}`
  const plain = await service.get(path, { 'accept-encoding': 'identity' })
  expect(plain.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect([plain.headers.get('content-encoding'), plain.headers.get('vary')]).toEqual([
    null,
    'accept-encoding',
  ])
  const packed = await service.get(path, { 'accept-encoding': 'gzip' })
  expect(packed.headers.get('content-encoding')).toBe('gzip')
  expect(await packed.text()).toBe(await plain.text())
})

test('with other origins allowed, a cache keeps their answers apart', async () => {
  const service = await startService({ CORS_ORIGINS: 'https://app.example.com' })
  const path = `/${scriptOf((await load(service)).html)}`
  expect((await service.get(path)).headers.get('vary')).toBe('Origin, accept-encoding')
})

test('the first view needs far less than 200 KB of script', async () => {
  const files = await readGallery()
  const html = files?.get('index.html')?.bytes.toString() ?? ''
  const script = files?.get(scriptOf(html))
  expect(gunzipSync(script?.gzipped ?? '').equals(script?.bytes ?? Buffer.of())).toBe(true)
  expect(script?.gzipped?.length).toBeLessThan(60_000)
  // The same for all scripts, including those loaded on demand.
  const all = [...(files?.entries() ?? [])].filter(([name]) => name.endsWith('.js'))
  expect(all.length).toBeGreaterThan(2)
  expect(all.reduce((sum, [, { gzipped }]) => sum + (gzipped?.length ?? 0), 0)).toBeLessThan(120_000)
})

test('if keys are required, the page is sent without one and says so; the API is not', async () => {
  const service = await startService({ AUTH: 'keys' })
  const { response, html } = await load(service)
  expect([response.status, html.includes('content="keys"')]).toEqual([200, true])
  expect((await service.get(`/${scriptOf(html)}`)).status).toBe(200)
  expect((await service.get('/api/projects')).status).toBe(401)
  expect((await load(await startService())).html).toContain('content="open"')
})

test('pictures may come from the origin of their URLs: a bucket, or another public URL', async () => {
  stubCredentials()
  const bucket = await load(await startService({ IMAGES_URL: s3.newPlace() }))
  expect(policyOf(bucket.response)).toContain(`img-src 'self' http://127.0.0.1:${s3.port};`)
  const proxied = await load(await startService({ PUBLIC_URL: 'https://shots.example.com/proofs' }))
  expect(policyOf(proxied.response)).toContain("img-src 'self' https://shots.example.com;")
  expect(proxied.html).toContain('<base href="/proofs/" />')
})

test('without a build, the answer says how to build it, and a later build is found', async () => {
  const folder = await makeFolder()
  for (const part of ['src', 'bin', 'package.json'])
    await cp(join(ROOT, part), join(folder, part), { recursive: true })
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const env = { PORT: '0', DATA_DIR: join(folder, 'data') }
  const service = start(process.execPath, [join(folder, 'bin', 'proofsheet.js'), 'serve'], { env })
  const [, url = ''] = await service.waitFor(/ready at (http\S+)/)
  const missing = await fetch(url)
  expect([missing.status, await missing.text()]).toEqual([503, expect.stringContaining('npm run build')])
  expect((await fetch(`${url}/api/projects`)).status).toBe(200)
  await cp(join(ROOT, 'dist', 'gallery'), join(folder, 'dist', 'gallery'), { recursive: true })
  expect((await fetch(url)).status).toBe(200)
})
