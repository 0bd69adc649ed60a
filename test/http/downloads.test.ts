import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { numberedFileName, pictureFileName } from '../../src/contract/picture-names.ts'
import type { RootResult } from '../../src/contract/results.ts'
import { attachment } from '../../src/http/operations/pictures.ts'
import { startService } from '../support/http/service.ts'
import { anyCharacter } from '../support/runner/any-character.ts'
import { usePostgres, useS3 } from '../support/servers/use-servers.ts'
import { bothWorlds } from '../support/servers/worlds.ts'
import {
  addPictures,
  addRows,
  makeKey,
  makePng,
  makeProject,
  newJob,
  rootsUrl,
  submittedJob,
} from '../support/store/results.ts'

const postgres = usePostgres()
const s3 = useS3()

const pictureUrl = (projectId: string, rootId: string, uuid: string) =>
  `${rootsUrl(projectId)}/${rootId}/pictures/${uuid}`

async function serviceWithPicture(env: Record<string, string> = {}, name = 'Über uns') {
  const service = await startService(env)
  const projectId = await makeProject(service.store)
  const png = await makePng(300, 200)
  const { rootId } = await addPictures(service, projectId, { jobs: [submittedJob(png, { name })] })
  const [job] = await service.store.jobsOf(projectId, [rootId])
  const path = pictureUrl(projectId, rootId, job?.uuid ?? '')
  return { service, projectId, rootId, png, path, uuid: job?.uuid ?? '' }
}

describe.each(bothWorlds(postgres, s3))('a downloaded picture (%s)', (_, world) => {
  test('has the stored bytes, the name of its page, and headers that forbid execution', async () => {
    const { service, png, path } = await serviceWithPicture(await world())
    const response = await service.get(path)
    expect(response.status).toBe(200)
    expect(Buffer.from(await response.arrayBuffer())).toEqual(png)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(png.length),
      'content-disposition': `attachment; filename="Uber-uns.png"; filename*=UTF-8''%C3%9Cber-uns.png`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'private, no-cache',
      etag: expect.stringMatching(/^"[^"]+"$/),
    })
  })

  test('supports conditions, ranges and HEAD like picture URLs', async () => {
    const { service, png, path } = await serviceWithPicture(await world())
    const head = await fetch(service.url + path, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
      200,
      String(png.length),
      '',
    ])
    const etag = head.headers.get('etag') ?? ''
    expect((await service.get(path, { 'if-none-match': etag })).status).toBe(304)
    const part = await service.get(path, { range: 'bytes=1-3' })
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
      206,
      `bytes 1-3/${png.length}`,
      'PNG',
    ])
    const beyond = await service.get(path, { range: `bytes=${png.length}-` })
    expect([beyond.status, beyond.headers.get('content-disposition')]).toEqual([416, null])
  })
})

describe('a downloaded picture', () => {
  test('may be requested with upper-case ids', async () => {
    const { service, projectId, rootId, uuid } = await serviceWithPicture()
    const [upper = '', root = '', job = ''] = [projectId, rootId, uuid].map((id) => id.toUpperCase())
    expect((await service.get(pictureUrl(upper, root, job))).status).toBe(200)
  })

  test('is the same 404 for another root or project, an unknown or malformed id, a job without a picture or not shown yet', async () => {
    const { service, projectId, rootId, path, uuid } = await serviceWithPicture({ AUTH: 'keys' })
    const { secret: authorization } = await makeKey(service.store, projectId)
    const ask = async (url: string) => {
      const response = await service.get(url, { authorization })
      return [response.status, (await response.text()).replace(/"requestId":"[^"]+"/, '')]
    }
    expect((await ask(path))[0]).toBe(200)
    const nothing = await ask(pictureUrl(projectId, rootId, randomUUID()))
    expect(nothing[0]).toBe(404)
    const theirs = await makeProject(service.store)
    const foreign = await addPictures(service, theirs, { jobs: [submittedJob(await makePng(9, 9))] })
    const [job] = await service.store.jobsOf(theirs, [foreign.rootId])
    const other = await addRows(service.store, projectId)
    const [bare] = await service.store.jobsOf(projectId, [other])
    const hidden = newJob()
    const root = { projectId, rootId: randomUUID(), created: 1, digest: 'x', jobs: [hidden] }
    await service.store.addRoot(root, async () => {
      for (const url of [
        pictureUrl(projectId, other, uuid),
        pictureUrl(projectId, randomUUID(), uuid),
        pictureUrl(projectId, 'x', uuid),
        pictureUrl(projectId, rootId, 'x'),
        pictureUrl(projectId, rootId, `${uuid}.png`),
        pictureUrl(theirs, foreign.rootId, job?.uuid ?? ''),
        pictureUrl(projectId, foreign.rootId, job?.uuid ?? ''),
        pictureUrl(projectId, other, bare?.uuid ?? ''),
        pictureUrl(projectId, root.rootId, hidden.uuid),
        pictureUrl('x', 'x', 'x'),
      ]) {
        expect([url, await ask(url)]).toEqual([url, nothing])
      }
    })
    await rm(join(service.dataDir, 'images', projectId), { recursive: true })
    expect(await ask(path)).toEqual(nothing)
    expect((await service.get(path)).status).toBe(401)
  })

  test('needs a key, unlike a picture URL, which opens nothing else', async () => {
    const { service, projectId, rootId, path } = await serviceWithPicture({ AUTH: 'keys' })
    const { secret: authorization } = await makeKey(service.store, projectId)
    const response = await service.get(`${rootsUrl(projectId)}/${rootId}`, { authorization })
    const { jobs } = (await response.json()) as RootResult
    expect((await fetch(jobs[0]?.data ?? '')).status).toBe(200)
    expect((await service.get(path + new URL(jobs[0]?.data ?? '').search)).status).toBe(401)
  })

  test('answers other methods with 405', async () => {
    const { service, path } = await serviceWithPicture()
    const response = await fetch(service.url + path, { method: 'DELETE' })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })
})

describe('the file name', () => {
  test.each([
    ['Home', 'Home.png'],
    ['  Über uns / Team ', 'Über-uns-Team.png'],
    ['../../etc/passwd', 'etc-passwd.png'],
    ['a\\b:c*d?e"f<g>h|i', 'a-b-c-d-e-f-g-h-i.png'],
    ['ﬁnal', 'final.png'],
    ['हिन्दी', 'हिन्दी.png'],
    ['U\u0308ber', 'Über.png'],
    ['🦊', 'page.png'],
    ['', 'page.png'],
    ['...', 'page.png'],
    ['v1.2', 'v1.2.png'],
    [`${'x'.repeat(79)}𝒜𝒜`.normalize(), `${'x'.repeat(79)}A.png`],
    [`${'x'.repeat(79)}𠀀`, `${'x'.repeat(79)}.png`],
  ])('of %j is %j', (name, file) => {
    expect(pictureFileName(name)).toBe(file)
    expect(numberedFileName({ position: 6, name }, 3)).toBe(`007-${file}`)
  })

  test.each([
    ['CON', 'page-CON.png'],
    ['nul.txt', 'page-nul.txt.png'],
    ['com1.', 'page-com1.png'],
    ['Contact', 'Contact.png'],
    ['aux-2', 'aux-2.png'],
  ])('of %j, which Windows may take for a device, is %j', (name, file) => {
    expect(pictureFileName(name)).toBe(file)
  })

  test('property: of any page is plain and fits into a file system and a header', () => {
    const anything = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 300 }),
      fc.string({ unit: 'grapheme', maxLength: 300 }),
    )
    fc.assert(
      fc.property(anything, fc.nat(9_999), (name, position) => {
        const file = numberedFileName({ position, name }, 5)
        expect(file).toMatch(/^\d{5}-[\p{L}\p{M}\p{N}.-]+\.png$/u)
        expect(file.isWellFormed()).toBe(true)
        expect(Buffer.byteLength(file)).toBeLessThanOrEqual(255)
        expect(file).not.toContain('/')
        const header = attachment(pictureFileName(name))
        expect(header).toMatch(/^attachment; filename="[\w.-]+"(; filename\*=UTF-8''[\w.%~-]+)?$/)
        const whole = /UTF-8''(.*)$/.exec(header)?.[1]
        if (whole !== undefined) expect(decodeURIComponent(whole)).toBe(pictureFileName(name))
      }),
      { numRuns: 1_000 },
    )
  })
})
