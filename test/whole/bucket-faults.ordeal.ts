import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { startService } from '../support/http/service.ts'
import { stubCredentials, useS3 } from '../support/servers/use-servers.ts'
import { pictureKey } from '../support/store/image-keys.ts'
import { addPictures, makePng, makeProject, rootsUrl, submittedJob } from '../support/store/results.ts'

const s3 = useS3()

const faults: Record<string, (request: IncomingMessage, response: ServerResponse) => boolean> = {
  refusing: (request) => {
    request.socket.destroy()
    return true
  },
  slow: () => true,
  'answering 500': (_, response) => {
    response.writeHead(500).end()
    return true
  },
  'answering 503 SlowDown': (_, response) => {
    response.writeHead(503, { 'content-type': 'application/xml' })
    response.end('<Error><Code>SlowDown</Code><Message>Reduce your rate</Message></Error>')
    return true
  },
  'cutting uploads off': (request) => {
    if (request.method !== 'PUT') return false
    request.once('data', () => request.socket.destroy())
    return true
  },
}

/** Accepts uploads, keeps them as changed by `change`, and answers 200 with `etagOf` the kept bytes. */
function keeping(
  change: (bytes: Buffer) => Buffer | undefined,
  etagOf: (kept: Buffer) => string | undefined = md5Of,
) {
  const kept = new Map<string, Buffer | undefined>()
  return (request: IncomingMessage, response: ServerResponse) => {
    const path = (request.url ?? '').replace(/\?.*/, '')
    if (request.method === 'PUT') {
      void request.toArray().then((chunks: Buffer[]) => {
        const bytes = change(Buffer.concat(chunks))
        kept.set(path, bytes)
        const etag = etagOf(bytes ?? Buffer.alloc(0))
        response.writeHead(200, { ...(etag !== undefined && { etag: `"${etag}"` }) }).end()
      })
      return true
    }
    if (request.method !== 'GET' || !kept.has(path)) return false
    const bytes = kept.get(path)
    if (bytes) response.writeHead(200, { 'content-length': bytes.length }).end(bytes)
    else
      response
        .writeHead(404, { 'content-type': 'application/xml' })
        .end('<Error><Code>NoSuchKey</Code><Message>none</Message></Error>')
    return true
  }
}

const md5Of = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex')
const flipped = (bytes: Buffer) => bytes.map((byte, index) => (index === 20 ? byte ^ 1 : byte)) as Buffer
const cut = (bytes: Buffer) => bytes.subarray(0, -7)

/** Faults that answer 200 without having the uploaded bytes. */
const lies: typeof faults = {
  'losing uploads': keeping(() => undefined),
  'losing uploads, and answering without an ETag': keeping(
    () => undefined,
    () => undefined,
  ),
  'truncating uploads': keeping(cut),
  'truncating uploads, with ETags that are not an MD5': keeping(cut, () => 'x-1'),
  'changing uploads': keeping(flipped),
  'changing uploads, with ETags that look like an MD5': keeping(flipped, () => '0'.repeat(32)),
}
Object.assign(faults, lies)

describe.each(Object.entries(faults))('S3 %s', (name, fault) => {
  test('an upload fails with a typed error, nothing is lost, reading continues, and the service heals', async () => {
    const service = await startService({ IMAGES_URL: s3.newPlace(), IMAGES_TIMEOUT: '5s' })
    const projectId = await makeProject(service.store)
    const png = await makePng()
    const jobs = (count: number) => Array.from({ length: count }, () => submittedJob(png))
    const before = await addPictures(service, projectId, { jobs: jobs(3) })
    const answer = await (await service.get(rootsUrl(projectId))).text()

    s3.interfere = fault
    onTestFinished(() => {
      s3.interfere = undefined
    })
    const revision = (await service.store.findProject(projectId))?.revision
    await expect(addPictures(service, projectId, { created: 5, jobs: jobs(2) })).rejects.toMatchObject({
      name: 'AppError',
      code: 'unavailable',
    })
    expect((await service.store.findProject(projectId))?.revision).toBe(revision)
    // Acknowledged pictures are still served: URLs are made without asking S3.
    expect(await (await service.get(rootsUrl(projectId))).text()).toBe(answer)
    if (name !== 'cutting uploads off' && !(name in lies))
      expect((await service.get('/readyz')).status).toBe(503)

    s3.interfere = undefined
    const began = Date.now()
    const after = await addPictures(service, projectId, { created: 5, jobs: jobs(2) })
    process.stderr.write(`S3 ${name}: adding works again after ${Date.now() - began} ms\n`)
    expect(after.outcome).toBe('added')
    expect((await service.get('/readyz')).status).toBe(200)
    for (const { rootId } of [before, after]) {
      for (const { uuid } of await service.store.jobsOf(projectId, [rootId])) {
        const image = await service.images.open(pictureKey(projectId, uuid))
        expect(
          Buffer.concat((await image?.stream({ start: 0, end: image.size - 1 }).toArray()) ?? []),
        ).toEqual(png)
      }
    }
  })
})

test('an upload that is corrupted once is sent again', async () => {
  const service = await startService({ IMAGES_URL: s3.newPlace() })
  const projectId = await makeProject(service.store)
  const change = keeping(flipped)
  let changed = 0
  s3.interfere = (request, response) =>
    request.method === 'PUT' && changed++ < 1 ? change(request, response) : false
  onTestFinished(() => {
    s3.interfere = undefined
  })
  const png = await makePng()
  const { rootId, outcome } = await addPictures(service, projectId, { jobs: [submittedJob(png)] })
  expect([outcome, changed]).toEqual(['added', 3])
  const [job] = await service.store.jobsOf(projectId, [rootId])
  const image = await service.images.open(pictureKey(projectId, job?.uuid ?? ''))
  expect(Buffer.concat((await image?.stream({ start: 0, end: image.size - 1 }).toArray()) ?? [])).toEqual(png)
})

test('pictures are read back from a store whose ETags are not an MD5, and not from others', async () => {
  const service = await startService({ IMAGES_URL: s3.newPlace() })
  const projectId = await makeProject(service.store)
  onTestFinished(() => {
    s3.interfere = undefined
  })
  const gets = async (created: number) => {
    const before = s3.requests.length
    await addPictures(service, projectId, { created, jobs: [submittedJob(await makePng())] })
    return s3.requests.slice(before).filter(({ method, path }) => method === 'GET' && path.includes('.png'))
      .length
  }
  expect(await gets(1)).toBe(0)
  s3.interfere = (_, response) => {
    const set = response.setHeader.bind(response)
    response.setHeader = (name, value) => set(name, name.toLowerCase() === 'etag' ? '"not-an-md5"' : value)
    return false
  }
  expect(await gets(2)).toBe(2)
})

test('a fault that ends while a request is repeated has no effect', async () => {
  const service = await startService({ IMAGES_URL: s3.newPlace() })
  const projectId = await makeProject(service.store)
  let failures = 0
  s3.interfere = (_, response) => {
    if (failures++ >= 2) return false
    response.writeHead(500).end()
    return true
  }
  onTestFinished(() => {
    s3.interfere = undefined
  })
  const added = await addPictures(service, projectId, { jobs: [submittedJob(await makePng())] })
  expect([added.outcome, failures > 2]).toEqual(['added', true])
})

describe('a misconfigured S3', () => {
  const check = async (env: Record<string, string>) => {
    const service = await startService({ IMAGES_TIMEOUT: '10s', ...env })
    return await service.images.check().then(
      () => 'fine',
      (error) => `${error.code}: ${error.message}`,
    )
  }
  const at = (bucket: string) => `s3://${bucket}?endpoint=http://127.0.0.1:${s3.port}&region=eu-central-1`

  test('is reported with its mistake: bucket, keys or server', async () => {
    expect(await check({ IMAGES_URL: at(s3.bucket) })).toBe('fine')
    expect(await check({ IMAGES_URL: at('nobodys') })).toBe(
      'storage_failed: S3 refused: there is no such bucket (NoSuchBucket).',
    )
    expect(await check({ IMAGES_URL: 's3://shots?endpoint=http://127.0.0.1:1&region=auto' })).toMatch(
      /^unavailable: S3 cannot be reached or is busy: .*ECONNREFUSED/,
    )
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'wrong')
    expect(await check({ IMAGES_URL: at(s3.bucket) })).toBe(
      'storage_failed: S3 refused: the secret key is wrong (SignatureDoesNotMatch).',
    )
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'nobody')
    expect(await check({ IMAGES_URL: at(s3.bucket) })).toBe(
      'storage_failed: S3 refused: the access key is unknown (InvalidAccessKeyId).',
    )
    stubCredentials()
  })

  test('without the right to list the bucket passes the check', async () => {
    s3.interfere = (_, response) => {
      response.writeHead(403, { 'content-type': 'application/xml' })
      response.end('<Error><Code>AccessDenied</Code><Message>no</Message></Error>')
      return true
    }
    onTestFinished(() => {
      s3.interfere = undefined
    })
    expect(await check({ IMAGES_URL: s3.newPlace() })).toBe('fine')
  })

  test('that is full is reported as `storage_full`', async () => {
    const service = await startService({ IMAGES_URL: s3.newPlace() })
    const projectId = await makeProject(service.store)
    s3.interfere = (_, response) => {
      response.writeHead(403, { 'content-type': 'application/xml' })
      response.end('<Error><Code>QuotaExceeded</Code><Message>full</Message></Error>')
      return true
    }
    onTestFinished(() => {
      s3.interfere = undefined
    })
    const adding = addPictures(service, projectId, { jobs: [submittedJob(await makePng())] })
    await expect(adding).rejects.toMatchObject({ code: 'storage_full' })
  })
})
