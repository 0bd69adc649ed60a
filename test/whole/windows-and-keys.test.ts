import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startService, type TestService } from '../support/http/service.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { chance, pick, whole } from '../support/runner/random.ts'
import { usePostgres, useS3 } from '../support/servers/use-servers.ts'
import { bothWorlds } from '../support/servers/worlds.ts'
import {
  type Answer,
  ask,
  list,
  NAMES,
  nextPage,
  openReference,
  type Reference,
  SHARED_HOST,
  same,
} from '../support/store/reference.ts'
import {
  addPictures,
  makePng,
  makeProject,
  newJob,
  rootsUrl,
  submittedJob,
} from '../support/store/results.ts'

const WINDOW_MS = 12 * 3_600_000

const postgres = usePostgres()
const s3 = useS3()

const worlds = bothWorlds(postgres, s3)

/** Two small roots, an empty and a large one; and every way to request them. */
async function fill(service: TestService) {
  const projectId = await makeProject(service.store)
  const small = randomUUID()
  const large = randomUUID()
  const png = await makePng()
  await addPictures(service, projectId, { rootId: small, created: 9, jobs: [submittedJob(png)] })
  for (const [rootId, created, jobs] of [
    [large, 7, 120],
    [randomUUID(), 5, 3],
    [randomUUID(), 5, 0],
  ] as const) {
    const rows = Array.from({ length: jobs }, () => newJob({ name: pick(NAMES) }))
    await service.store.addRoot({ projectId, rootId, created, digest: 'd', jobs: rows }, async () => {})
  }
  const all = rootsUrl(projectId)
  const second = nextPage(await ask(`${service.url}${all}?limit=2`))
  expect(second).toBeDefined()
  // The roots in the answer, in order, and whether it is a list.
  const ways: { path: string; from: number; to: number; one?: boolean }[] = [
    { path: `${all}/${small}`, from: 0, to: 1, one: true },
    { path: `${all}/${large}`, from: 1, to: 2, one: true },
    { path: all, from: 0, to: 4 },
    { path: `${all}?limit=2`, from: 0, to: 2 },
    { path: second ?? '', from: 2, to: 4 },
  ]
  return { projectId, ways }
}

type Way = Awaited<ReturnType<typeof fill>>['ways'][number]

/** The expected answers at one moment. */
async function expectedBody(
  reference: Reference,
  projectId: string,
  way: Way,
  at: { now: number; origin: string },
) {
  const heads = (await reference.roots(projectId)).slice(way.from, way.to)
  const texts = await reference.texts(projectId, heads, at)
  return way.one ? (texts[0] ?? '') : list(texts)
}

/** The URLs of all pictures and previews. */
function addressesIn({ body }: Answer): string[] {
  return [...body.matchAll(/"(?:data|preview)":"([^"]+)"/g)].map(([, address = '']) => address)
}

describe('a signing window that ends', () => {
  test('changes every URL and every ETag at the very millisecond, and back with the clock', async () => {
    const service = await startService()
    const reference = await openReference({ DATA_DIR: service.dataDir })
    const { projectId, ways } = await fill(service)
    const start = Math.ceil(service.now / WINDOW_MS) * WINDOW_MS
    const origin = service.url
    for (const way of ways) {
      const url = service.url + way.path
      service.now = start - 1
      const before = await ask(url)
      same(before.body, [await expectedBody(reference, projectId, way, { now: start - 1, origin })], way.path)
      expect((await ask(url, { etag: before.etag })).status).toBe(304)

      service.now = start
      const conditional = await ask(url, { etag: before.etag })
      expect(conditional.status).toBe(200)
      const after = await ask(url)
      expect(after).toEqual(conditional)
      expect(after.etag).not.toBe(before.etag)
      same(after.body, [await expectedBody(reference, projectId, way, { now: start, origin })], way.path)
      const addresses = addressesIn(after)
      const old = addressesIn(before)
      expect(old.length).toBe(addresses.length)
      expect(addresses.filter((address) => old.includes(address))).toEqual([])
      for (const [index, address] of addresses.entries()) {
        const path = address.slice(origin.length)
        expect(service.images.verify(path, start).expiresMs).toBe(start + 2 * WINDOW_MS)
        expect(service.images.verify(path, start + 2 * WINDOW_MS - 1).key).toBeTruthy()
        expect(() => service.images.verify(path, start + 2 * WINDOW_MS)).toThrow()
        // The old URLs are valid for one more window.
        const oldPath = old[index]?.slice(origin.length) ?? ''
        expect(service.images.verify(oldPath, start).expiresMs).toBe(start + WINDOW_MS)
      }

      service.now = start - 1
      expect(await ask(url)).toEqual(before)
      expect((await ask(url, { etag: after.etag })).status).toBe(200)
      expect((await ask(url, { etag: before.etag })).status).toBe(304)
    }
    // A real picture is served, too.
    service.now = start
    const [address = ''] = addressesIn(await ask(service.url + (ways[0]?.path ?? '')))
    for (const [now, status] of [
      [start, 200],
      [start + 2 * WINDOW_MS - 1, 200],
      [start + 2 * WINDOW_MS, 403],
    ] as const) {
      service.now = now
      const answer = await fetch(address)
      await answer.arrayBuffer()
      expect([now, answer.status]).toEqual([now, status])
    }
  })

  test.each(worlds)('%s: with a clock that jumps, every answer fits its moment', async (_, newEnv) => {
    const env = { DATA_DIR: join(await makeFolder(), 'data'), ...(await newEnv()) }
    const service = await startService(env)
    const reference = await openReference(env)
    const { projectId, ways } = await fill(service)
    const first = Math.ceil(service.now / WINDOW_MS) * WINDOW_MS
    const hosts = [SHARED_HOST, new URL(service.url).host]
    const given = new Map<string, { etag: string; body: string }[]>()
    const counts = { 200: 0, 304: 0 }
    for (let step = 0; step < 200; step++) {
      if (chance(0.7)) {
        const offset = pick([-1, 0, 1, -999, 1_000, WINDOW_MS - 1, whole(WINDOW_MS)])
        service.now = first + (whole(4) - 1) * WINDOW_MS + offset
      }
      const way = pick(ways)
      const host = pick(hosts)
      const before = given.get(way.path) ?? []
      const known = chance(0.6) ? pick(before) : undefined
      const answer = await ask(service.url + way.path, { host, etag: known?.etag })
      const at = { now: service.now, origin: `http://${host}` }
      const wanted = await expectedBody(reference, projectId, way, at)
      // Nothing is written here, so an ETag holds exactly as long as its body.
      expect([step, answer.status]).toEqual([step, known?.body === wanted ? 304 : 200])
      counts[answer.status as 200 | 304]++
      if (answer.status === 200) {
        same(answer.body, [wanted], `step ${step}, ${way.path}`)
        for (const { etag, body } of before) expect(etag === answer.etag).toBe(body === answer.body)
        given.set(way.path, [...before, { etag: answer.etag, body: answer.body }])
      }
    }
    expect(Math.min(counts[200], counts[304])).toBeGreaterThan(5)
  })
})

describe('another signing key', () => {
  const secret = () => randomBytes(32).toString('base64')

  test('signs from then on and changes every ETag; URLs signed by the old one are still accepted', async () => {
    const [oldKey, newKey] = [`k1:${secret()}`, `k2:${secret()}`]
    const folder = await makeFolder()
    const envs = [
      { DATA_DIR: join(folder, 'data'), SIGNING_KEYS: oldKey },
      { DATA_DIR: join(folder, 'data'), SIGNING_KEYS: `${newKey},${oldKey}` },
    ]
    const old = await startService(envs[0])
    const { projectId, ways } = await fill(old)
    const renewed = await startService(envs[1])
    const references = await Promise.all(envs.map((env) => openReference(env)))
    const origin = `http://${SHARED_HOST}`
    for (const way of ways) {
      // Both keys at once, as while instances are replaced one by one.
      const answers: Answer[] = []
      for (const [index, service] of [old, renewed].entries()) {
        const answer = await ask(service.url + way.path, { host: SHARED_HOST })
        const at = { now: service.now, origin }
        same(answer.body, [await expectedBody(references[index] as Reference, projectId, way, at)], way.path)
        answers.push(answer)
      }
      const [before, after] = answers as [Answer, Answer]
      expect(before.body).not.toContain('key=k2')
      expect(after.body).not.toContain('key=k1')
      expect(after.etag).not.toBe(before.etag)
      const again = { host: SHARED_HOST, etag: before.etag }
      expect((await ask(renewed.url + way.path, again)).status).toBe(200)
      expect((await ask(old.url + way.path, again)).status).toBe(304)
      for (const address of [...addressesIn(before), ...addressesIn(after)]) {
        expect(renewed.images.verify(address.slice(origin.length), renewed.now).key).toBeTruthy()
      }
      for (const address of addressesIn(after)) {
        expect(() => old.images.verify(address.slice(origin.length), old.now)).toThrow()
      }
    }
    const [address = ''] = addressesIn(await ask(old.url + (ways[0]?.path ?? '')))
    await old.stop()
    const picture = await renewed.get(address.slice(old.url.length))
    expect(picture.status).toBe(200)
    expect((await picture.arrayBuffer()).byteLength).toBeGreaterThan(50)
  })

  test('of the same name is still recognised as another key', async () => {
    const env = { DATA_DIR: join(await makeFolder(), 'data') }
    const old = await startService({ ...env, SIGNING_KEYS: `k1:${secret()}` })
    const { ways } = await fill(old)
    const renewed = await startService({ ...env, SIGNING_KEYS: `k1:${secret()}` })
    for (const { path } of ways) {
      const before = await ask(old.url + path, { host: SHARED_HOST })
      const after = await ask(renewed.url + path, { host: SHARED_HOST, etag: before.etag })
      expect(after.status).toBe(200)
      expect(after.etag).not.toBe(before.etag)
      expect(addressesIn(after).filter((address) => before.body.includes(address))).toEqual([])
    }
  })
})
