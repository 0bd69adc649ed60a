import { randomUUID } from 'node:crypto'
import { rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { startService, type TestService } from '../support/http/service.ts'
import { pictureKey } from '../support/store/image-keys.ts'
import { addPictures, makePng, makeProject, rootsUrl, submittedJob } from '../support/store/results.ts'

async function serviceWithPictures(count = 1) {
  const service = await startService({ LOG_LEVEL: 'info' })
  const projectId = await makeProject(service.store)
  const png = await makePng(300, 200)
  const jobs = Array.from({ length: count }, () => submittedJob(png))
  const { rootId } = await addPictures(service, projectId, { jobs })
  const uuids = (await service.store.jobsOf(projectId, [rootId])).map(({ uuid }) => uuid)
  const path = (name: string) => join(service.dataDir, 'images', projectId, name)
  const sign = async (name: string) =>
    (await service.images.addresses({ now: service.now, origin: service.url })).address(
      `${projectId}/${name}` as `${string}.png` & `${string}/${string}.png`,
    )
  return { service, projectId, rootId, uuids, path, sign }
}

const errorsOf = ({ logLines }: TestService) =>
  logLines.map((line) => JSON.parse(line)).filter(({ level }) => level >= 50)

async function counted(service: TestService) {
  const text = await (await service.get('/metrics')).text()
  return Object.fromEntries(
    [...text.matchAll(/^proofsheet_pictures_gone_total\{condition="(\w+)"\} (\d+)$/gm)].map(
      ([, condition, times]) => [condition, Number(times)],
    ),
  )
}

describe('a stored picture that is gone', () => {
  test('is a 404 by its picture URL, an error in the log, and counted', async () => {
    const { service, projectId, uuids, path, sign } = await serviceWithPictures()
    expect(await counted(service)).toEqual({ missing: 0, damaged: 0 })
    const [uuid = ''] = uuids
    await rm(path(`${uuid}.png`))
    const response = await fetch(await sign(`${uuid}.png`))
    expect([response.status, response.headers.get('cache-control')]).toEqual([404, 'no-store'])
    expect(errorsOf(service)).toMatchObject([
      { level: 50, projectId, uuid, file: 'picture', condition: 'missing', msg: 'a picture is missing' },
    ])
    expect(errorsOf(service)[0].reqId).toBe(response.headers.get('x-request-id'))
    expect(await counted(service)).toEqual({ missing: 1, damaged: 0 })
  })

  test.each([0, 1, 50, -1])(
    'that is cut off at %i bytes is a 404 that must not be cached, and is reported as damaged',
    async (at) => {
      const { service, projectId, uuids, path, sign } = await serviceWithPictures()
      const [uuid = ''] = uuids
      const address = await sign(`${uuid}-preview.png`)
      const whole = await fetch(address)
      const size = (await whole.arrayBuffer()).byteLength
      await truncate(path(`${uuid}-preview.png`), at < 0 ? size + at : at)
      for (const method of ['GET', 'HEAD']) {
        const etag = whole.headers.get('etag') ?? ''
        const response = await fetch(address, { method, headers: { 'if-none-match': etag } })
        const { status, headers } = response
        expect([status, headers.get('cache-control'), headers.get('etag')]).toEqual([404, 'no-store', null])
      }
      expect(errorsOf(service)).toMatchObject([
        { projectId, uuid, file: 'preview', condition: 'damaged', msg: 'a picture is damaged' },
        { projectId, uuid, file: 'preview', condition: 'damaged' },
      ])
      expect(await counted(service)).toEqual({ missing: 0, damaged: 2 })
    },
  )

  test('is reported when it is downloaded', async () => {
    const { service, projectId, rootId, uuids, path } = await serviceWithPictures()
    await rm(path(`${uuids[0]}.png`))
    const response = await service.get(`${rootsUrl(projectId)}/${rootId}/pictures/${uuids[0]}`)
    expect(response.status).toBe(404)
    expect(errorsOf(service)).toMatchObject([{ projectId, uuid: uuids[0], condition: 'missing' }])
  })

  test.each(['missing', 'damaged'])(
    'breaks its archive off, and the log says that it is %s',
    async (condition) => {
      const { service, projectId, rootId, uuids, path } = await serviceWithPictures(20)
      const uuid = uuids.at(-1)
      if (condition === 'missing') await rm(path(`${uuid}.png`))
      else await truncate(path(`${uuid}.png`), 100)
      const response = await service.get(`${rootsUrl(projectId)}/${rootId}/pictures.zip`)
      expect(response.status).toBe(200)
      await expect(response.arrayBuffer()).rejects.toThrow()
      while (!service.logLines.some((line) => line.includes('"aborted":true'))) await sleep(10)
      const reqId = response.headers.get('x-request-id')
      expect(errorsOf(service)).toMatchObject([
        { reqId, projectId, uuid, file: 'picture', condition },
        {
          reqId,
          msg: 'the answer broke off',
          err: { message: `The picture ${pictureKey(projectId, uuid ?? '')} is gone.` },
        },
      ])
      expect(await counted(service)).toMatchObject({ [condition]: 1 })
    },
  )

  test('is not reported if no result refers to it', async () => {
    const { service, sign } = await serviceWithPictures()
    expect((await fetch(await sign(`${randomUUID()}.png`))).status).toBe(404)
    expect(errorsOf(service)).toEqual([])
    expect(await counted(service)).toEqual({ missing: 0, damaged: 0 })
  })
})

test('a client that leaves during an archive causes no error', async () => {
  const { service, projectId, rootId } = await serviceWithPictures(20)
  const leaving = new AbortController()
  const url = `${service.url}${rootsUrl(projectId)}/${rootId}/pictures.zip`
  const response = await fetch(url, { signal: leaving.signal })
  leaving.abort()
  await response.arrayBuffer().catch(() => {})
  while (!service.logLines.some((line) => line.includes('pictures.zip'))) await sleep(10)
  expect(errorsOf(service)).toEqual([])
})
