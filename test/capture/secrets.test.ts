import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Camera, CaptureFailure, type PageToShoot } from '../../src/camera/camera.ts'
import { digestOf, type RequestContent } from '../../src/capture/digest.ts'
import { CaptureFigures } from '../../src/capture/figures.ts'
import { createRequests } from '../../src/capture/requests.ts'
import { openTask, sealRequest } from '../../src/capture/seal-request.ts'
import { createWork } from '../../src/capture/worker.ts'
import { readConfig } from '../../src/config/config.ts'
import { optionsOfPage } from '../../src/contract/options-of-page.ts'
import { createKeyRing } from '../../src/secrets/key-ring.ts'
import { parseSecretKeys } from '../../src/secrets/secret-keys.ts'
import { openStorage } from '../../src/service/storage.ts'
import type { CaptureTask } from '../../src/store/captures.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { ALL_OPTIONS, SECRET_MARK } from '../support/store/all-options.ts'
import { newSeen, somePages } from '../support/store/captures.ts'
import { makePng, makeProject } from '../support/store/results.ts'

const key = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString('base64')}`
const ringOf = (...keys: string[]) => createKeyRing(parseSecretKeys(keys.join(',')))
const OLD = ringOf(key('k1', 1))
const ROTATED = ringOf(key('k2', 2), key('k1', 1))
const ROOT = randomUUID()

const PLAIN = { width: 1200, height: 720, fullPage: false, tags: [] }
const { headers, cookies, loginParameter } = ALL_OPTIONS
const OWN = { headers: { authorization: 'own-9f31' } }
/** Three pages with the secrets of all; the second has its own headers, the third none. */
const ASKED: RequestContent = {
  options: { ...PLAIN, headers, cookies, loginParameter },
  pages: somePages(3).map((page, index) => ({ ...page, ...(index === 1 && { ownOptions: OWN }) })),
}

test('a request is stored without its secrets, and a worker gets back those of its page', async () => {
  const sealed = await sealRequest(ASKED, ROOT, OLD)
  expect(JSON.stringify(sealed)).not.toContain(SECRET_MARK)
  expect(sealed.options).toMatchObject({
    headers: { authorization: '', 'x-other': '' },
    cookies: [
      { name: 'session', value: '' },
      { name: 'second', value: '' },
    ],
    loginParameter: { password: { elementId: '#password', password: '' } },
  })
  expect(sealed.pages[1]?.ownOptions).toEqual({ headers: { authorization: '' } })
  for (const [position, page] of sealed.pages.entries()) {
    const options = optionsOfPage(sealed.options, page.ownOptions)
    const task = { rootId: ROOT, position, options, sealed: page.sealed } as CaptureTask
    const opened = openTask(task, ROTATED)
    expect(opened.task.options).toEqual(optionsOfPage(ASKED.options, ASKED.pages[position]?.ownOptions))
    expect(opened.task).not.toHaveProperty('sealed')
    expect(() => openTask({ ...task, position: position + 1 }, OLD)).toThrow('sealed elsewhere')
    expect(() => openTask({ ...task, rootId: randomUUID() }, OLD)).toThrow('sealed elsewhere')
    expect(() => openTask({ ...task, sealed: undefined }, OLD)).toThrow('no longer in the database')
  }
})

test('a request without secrets is stored unchanged, with the same digest as before, and needs no key', async () => {
  const asked = { options: { ...PLAIN, css: 'a {}' }, pages: somePages(2) }
  expect(await sealRequest(asked, ROOT, createKeyRing([]))).toEqual({ ...asked, digest: digestOf(asked) })
})

test('the digest of a request with secrets depends on the key, and a rotated key ring still knows the old digest', async () => {
  const before = await sealRequest(ASKED, ROOT, OLD)
  expect(before.digest).toMatch(/^k1:[0-9a-f]{64}$/)
  expect(before.digest).not.toContain(digestOf(ASKED))
  const after = await sealRequest(ASKED, randomUUID(), ROTATED)
  expect(after.digest).toMatch(/^k2:/)
  expect(after.olderDigests).toEqual([before.digest])
  const other = { ...ASKED, options: { ...ASKED.options, cookies: [{ name: 'session', value: 'x' }] } }
  expect((await sealRequest(other, ROOT, OLD)).digest).not.toBe(before.digest)
  const inPage = { ...ASKED, options: PLAIN }
  expect((await sealRequest(inPage, ROOT, OLD)).digest).toMatch(/^k1:/)
})

/** A store, and a worker with these keys. Its camera keeps what it was given, and its log what was logged. */
async function open(shoot: (page: PageToShoot) => Promise<void> = async () => {}) {
  const storage = await openStorage(readConfig({ DATA_DIR: join(await makeFolder(), 'data') }))
  onTestFinished(() => storage.close())
  const { store, images } = storage
  const projectId = await makeProject(store)
  const shots: PageToShoot[] = []
  const logged: unknown[] = []
  const bytes = await makePng()
  const camera: Camera = {
    ready: async () => ({ path: '', kind: 'headless shell', origin: '', version: '', sandboxed: true }),
    shoot: async (page) => {
      shots.push(page)
      await shoot(page)
      return { bytes, seen: newSeen({ url: 'https://example.com/?p=p%C3%A4ssword-9f31+%26+%22more%22' }) }
    },
    close: async () => {},
  }
  const note = (...line: unknown[]) => void logged.push(...line)
  const workWith = (ring: typeof OLD) =>
    createWork({
      ...{
        camera,
        captures: store.captures,
        images,
        ring,
        clock: () => 1,
        limits: { picturePixels: 1e6, captureBytes: 1e6 },
      },
      ...{ figures: new CaptureFigures(() => 0), standstill: { since: () => false } },
      ...{ log: { info: note, warn: note }, onBegun: () => {}, onEnded: () => {} },
    })
  const accept = (ring: typeof OLD, idempotencyKey?: string) =>
    createRequests(
      store,
      { wake: () => {}, close: async () => {} },
      { ring, mostWaiting: 100, mostScheduled: 100 },
    ).accept(projectId, { ...ASKED, pages: ASKED.pages.slice(0, 1) }, { now: 1, idempotencyKey })
  const capture = async (ring: typeof OLD, attempts = 0) => {
    const task = await store.captures.takeNext({ now: 5, leaseMs: 1 })
    if (!task) throw new Error('nothing is due')
    const work = workWith(ring)({ ...task, attempts: task.attempts + attempts }, new AbortController().signal)
    const failure = await work.catch((error) => error)
    const page = (await store.captures.findProgress(projectId, task.rootId))?.captures[0]
    return { task, failure, page }
  }
  return { store, projectId, accept, capture, shots, logged }
}

test('the camera gets the secrets, and nothing that comes back from the page contains them', async () => {
  const { accept, capture, shots, logged } = await open()
  await accept(OLD)
  const { task, failure, page } = await capture(ROTATED)
  expect(failure).toBeUndefined()
  expect(shots[0]?.options).toMatchObject({ headers, cookies, loginParameter })
  expect(page).toMatchObject({ state: 'done', seen: { url: 'https://example.com/?p=…' } })
  expect(JSON.stringify([task, page, logged])).not.toContain(SECRET_MARK)
})

test('neither a failure nor a logged error contains the secrets', async () => {
  const cause = new Error('fill("alice-9f31@example.com")')
  const seen = newSeen({
    status: 403,
    title: 'No header-9f31',
    url: 'https://example.com/?alice-9f31%40example.com',
  })
  for (const [thrown, expected] of [
    [new CaptureFailure('status', '403', seen), undefined],
    [new Error('Authorization: Bearer header-9f31', { cause }), 'Authorization: …'],
  ] as const) {
    const { accept, capture } = await open(async () => {
      throw thrown
    })
    await accept(OLD)
    const { failure, page } = await capture(OLD)
    expect(failure?.message).toBe(expected)
    const told = [failure?.stack, failure?.cause, failure?.cause?.stack, JSON.stringify(page)].join()
    expect(told).not.toContain(SECRET_MARK)
    if (page?.failed?.reason === 'status')
      expect(page.seen).toMatchObject({ status: 403, title: 'No …', url: 'https://example.com/?…' })
  }
})

test('a page whose key is lost is left to other processes, and then fails with the name of the missing key', async () => {
  const { accept, capture, shots } = await open()
  await accept(ROTATED)
  const first = await capture(OLD)
  expect([first.failure?.name, first.page?.state]).toEqual(['CannotOpen', 'running'])
  expect(first.failure.message).not.toContain(SECRET_MARK)
  await accept(ROTATED)
  const { failure, page } = await capture(OLD, 2)
  expect([failure, shots]).toEqual([undefined, []])
  expect(page?.failed).toEqual({
    reason: 'secrets',
    detail: expect.stringMatching(/cannot be decrypted.*the key "k2", which is not among SECRET_KEYS.*again/),
  })
})

test('a page whose sealed text is damaged fails at once', async () => {
  const { accept, capture } = await open()
  await accept(OLD)
  const { failure, page } = await capture(ringOf(key('k1', 9)))
  expect([failure, page?.failed?.reason]).toEqual([undefined, 'secrets'])
})

test('a repeated request is recognised, even after a key rotation, and a different one is not', async () => {
  const { accept } = await open()
  const first = await accept(OLD, 'key')
  expect([await accept(OLD, 'key'), await accept(ROTATED, 'key')]).toEqual([first, first])
  await expect(accept(ringOf(key('k3', 3)), 'key')).rejects.toMatchObject({ code: 'conflict' })
})
