import { execFileSync } from 'node:child_process'
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JobResult, RootResult } from '../../src/contract/results.ts'
import { parseRange } from '../../src/http/operations/pictures.ts'
import { INSTANT, startService, type TestService } from '../support/http/service.ts'
import { addPictures, makePng, makeProject, rootsUrl, submittedJob } from '../support/store/results.ts'

async function serviceWithPicture(env: Record<string, string> = {}) {
  const service = await startService(env)
  const projectId = await makeProject(service.store)
  const png = await makePng(300, 200)
  await addPictures(service, projectId, { jobs: [submittedJob(png)] })
  const [root] = (await (await service.get(rootsUrl(projectId))).json()) as RootResult[]
  return { service, projectId, png, job: root?.jobs[0] as JobResult }
}

function rawStatus(service: TestService, path: string) {
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const { hostname, port } = new URL(service.url)
    httpRequest({ hostname, port, path }, (response) => {
      let body = ''
      response.setEncoding('latin1').on('data', (chunk) => {
        body += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }))
    })
      .on('error', reject)
      .end()
  })
}

describe('a picture URL', () => {
  test('serves the stored bytes with headers that forbid execution and match its remaining validity', async () => {
    const { service, job, png } = await serviceWithPicture()
    service.now = INSTANT + 1_000
    const response = await fetch(job.data)
    expect(Buffer.from(await response.arrayBuffer())).toEqual(png)
    const expires = Number(new URL(job.data).searchParams.get('expires'))
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(png.length),
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'accept-ranges': 'bytes',
      'cache-control': `public, max-age=${expires - (INSTANT + 1_000) / 1000}, immutable`,
      etag: expect.stringMatching(/^"[^"]+"$/),
    })
    // Other sites may embed it in any way.
    expect(response.headers.has('x-frame-options')).toBe(false)
  })

  test('supports HEAD and If-None-Match', async () => {
    const { job, png } = await serviceWithPicture()
    const head = await fetch(job.data, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(png.length)])
    const condition = { 'if-none-match': head.headers.get('etag') ?? '' }
    expect((await fetch(job.data, { headers: condition })).status).toBe(304)
    expect((await fetch(job.data, { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
  })

  test('works until it expires, and the answer then says so', async () => {
    const { service, job } = await serviceWithPicture()
    const expires = Number(new URL(job.data).searchParams.get('expires')) * 1000
    service.now = expires - 1
    expect((await fetch(job.data)).status).toBe(200)
    service.now = expires
    const response = await fetch(job.data)
    expect([response.status, await response.json()]).toMatchObject([403, { code: 'address_expired' }])
  })

  test('survives a key rotation while the old key still verifies', async () => {
    const a = `a:${Buffer.alloc(32, 1).toString('base64')}`
    const b = `b:${Buffer.alloc(32, 2).toString('base64')}`
    const { service, job } = await serviceWithPicture({ SIGNING_KEYS: a })
    await service.stop()
    const path = job.data.slice(service.url.length)
    for (const [keys, status] of [
      [`${b},${a}`, 200],
      [b, 403],
      [`a:${Buffer.alloc(32, 3).toString('base64')}`, 403],
    ] as const) {
      const rotated = await startService({ DATA_DIR: service.dataDir, SIGNING_KEYS: keys })
      expect((await rotated.get(path)).status).toBe(status)
      await rotated.stop()
    }
  })
})

describe('ranges', () => {
  test.each([
    ['bytes=0-0', 206, [0, 1]],
    ['bytes=10-19', 206, [10, 20]],
    ['bytes=100-', 206, [100, undefined]],
    ['bytes=-7', 206, [-7, undefined]],
    ['bytes=0-999999999', 206, [0, undefined]],
    ['bytes=-999999999', 206, [0, undefined]],
    ['bytes=5-2', 200, [0, undefined]],
    ['bytes=0-1,5-6', 200, [0, undefined]],
    ['lines=1-2', 200, [0, undefined]],
    ['nonsense', 200, [0, undefined]],
  ] as const)('%s is %i', async (range, status, [from, to]) => {
    const { job, png } = await serviceWithPicture()
    const response = await fetch(job.data, { headers: { range } })
    const body = Buffer.from(await response.arrayBuffer())
    expect([response.status, body]).toEqual([status, png.subarray(from, to)])
    if (status === 206)
      expect(response.headers.get('content-range')).toMatch(new RegExp(`^bytes \\d+-\\d+/${png.length}$`))
  })

  test('outside the picture is 416 with its size', async () => {
    const { job, png } = await serviceWithPicture()
    const response = await fetch(job.data, { headers: { range: `bytes=${png.length}-` } })
    expect([response.status, response.headers.get('content-range')]).toEqual([416, `bytes */${png.length}`])
    expect(await response.json()).toMatchObject({ code: 'range_not_satisfiable' })
  })

  test('property: a part lies within the picture and is the requested one', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.option(fc.nat(60)),
        fc.option(fc.nat(60)),
        (size, first, last) => {
          const bytes = Array.from({ length: size }, (_, index) => index)
          const part = parseRange(`bytes=${first ?? ''}-${last ?? ''}`, size)
          const wanted =
            first === null
              ? bytes.slice(-(last ?? 0) || size)
              : bytes.filter((byte) => byte >= first && byte <= (last ?? size))
          const invalid =
            (first === null && last === null) || (first !== null && last !== null && last < first)
          if (invalid) expect(part).toBeUndefined()
          else if (wanted.length === 0 || (first === null && last === 0)) expect(part).toBe('unsatisfiable')
          else expect(part).toEqual({ start: wanted[0], end: wanted.at(-1) })
        },
      ),
    )
  })

  test('If-Range with another validator gives the whole picture', async () => {
    const { job, png } = await serviceWithPicture()
    const headers = { range: 'bytes=0-1', 'if-range': '"other"' }
    expect((await (await fetch(job.data, { headers })).arrayBuffer()).byteLength).toBe(png.length)
  })
})

describe('a URL that was not signed', () => {
  test('is 403 with changed, truncated, repeated, reordered or foreign parameters', async () => {
    const { service, job } = await serviceWithPicture()
    const url = new URL(job.data)
    const [expires, key, signature] = [...url.searchParams].map(([name, value]) => `${name}=${value}`) as [
      string,
      string,
      string,
    ]
    const lastOfSignature = signature.at(-1) === 'A' ? 'B' : 'A'
    const queries = [
      '',
      '?',
      `?${expires}&${key}`,
      `?${expires}&${key}&signature=`,
      `?${expires}&${key}&${signature.slice(0, -1)}`,
      `?${expires}&${key}&${signature.slice(0, -1)}${lastOfSignature}`,
      `?${expires}&${key}&${signature}=`,
      `?${expires}&${key}&${signature}&${signature}`,
      `?${expires}&${expires}&${key}&${signature}`,
      `?${key}&${expires}&${signature}`,
      `?${signature}&${key}&${expires}`,
      `?${expires}&${key}&${signature}&x=1`,
      `?${expires}0&${key}&${signature}`,
      `?expires=0${expires.slice(8)}&${key}&${signature}`,
      `?${expires}&key=zz&${signature}`,
      `?${expires}&${key}&signature=%${signature.slice(10)}`,
    ]
    for (const query of queries) {
      const { status, body } = await rawStatus(service, url.pathname + query)
      expect([query, status]).toEqual([query, 403])
      expect(JSON.parse(body)).toMatchObject({ code: 'address_invalid' })
    }
    const preview = new URL(job.preview)
    expect((await rawStatus(service, preview.pathname + url.search)).status).toBe(403)
  })

  test('is refused with any other last character of its signature', async () => {
    const { service, job } = await serviceWithPicture()
    const path = job.data.slice(service.url.length)
    const characters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
    const statuses = await Promise.all(characters.map((last) => rawStatus(service, path.slice(0, -1) + last)))
    expect(statuses.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('property: is 403 or 404 after any change, never a picture, never a 5xx', async () => {
    const { service, job } = await serviceWithPicture()
    const path = job.data.slice(service.url.length)
    const printable = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code))
    await fc.assert(
      fc.asyncProperty(
        fc.nat(path.length - 2),
        fc.nat(3),
        fc.string({ unit: printable, maxLength: 3 }),
        async (at, cut, insert) => {
          const changed = `/${path.slice(1, at + 1)}${insert}${path.slice(at + 1 + cut)}`
          // A path that begins with `/?` is the gallery.
          fc.pre(changed !== path && !changed.includes('#') && !changed.startsWith('/?'))
          const { status } = await rawStatus(service, changed)
          expect([changed, [403, 404].includes(status)]).toEqual([changed, true])
        },
      ),
      { numRuns: 600 },
    )
  })

  test('is 404 with path traversal in any spelling', async () => {
    const { service, projectId } = await serviceWithPicture()
    for (const path of [
      '/images/../proofsheet.db',
      '/images/%2e%2e/proofsheet.db',
      '/images/..%2fproofsheet.db',
      `/images/${projectId}/../../signing-keys`,
      `/images/${projectId}/..%5c..%5csigning-keys`,
      '/images//etc/passwd',
      '/images/%00',
      '/images/',
      '/images/.staging/x.png',
    ]) {
      expect([path, (await rawStatus(service, path)).status]).toEqual([path, 404])
    }
  })
})

describe('a correctly signed URL', () => {
  test('is 404 if its file is missing, a link, behind a linked folder, a folder, a pipe or empty', async () => {
    const { service, projectId, job } = await serviceWithPicture()
    const folder = join(service.dataDir, 'images', projectId)
    const file = join(folder, `${job.uuid}.png`)
    const secret = join(service.dataDir, 'secret.txt')
    await writeFile(secret, 'secret')
    await rename(file, `${file}.away`)
    const expectNothing = async () => {
      const response = await fetch(job.data)
      expect([response.status, await response.json()]).toMatchObject([404, { code: 'not_found' }])
    }
    await expectNothing()
    await symlink(secret, file)
    await expectNothing()
    await rm(file)
    await mkdir(file)
    await expectNothing()
    await rm(file, { recursive: true })
    execFileSync('mkfifo', [file])
    await expectNothing()
    await rm(file)
    await writeFile(file, '')
    await expectNothing()
    await rm(file, { recursive: true })
    await rename(`${file}.away`, file)
    await rename(folder, `${folder}-moved`)
    await symlink(`${folder}-moved`, folder)
    await expectNothing()
  })
})
