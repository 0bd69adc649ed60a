import { createHash, randomUUID } from 'node:crypto'
import { readdir, readlink } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { openS3Images } from '../../src/images/s3/s3.ts'
import { S3_CREDENTIALS, startS3, type TestS3 } from '../support/servers/s3.ts'
import { stubCredentials } from '../support/servers/use-servers.ts'
import { pictureKey } from '../support/store/image-keys.ts'
import { imagesSuite } from './images-suite.ts'

/** Another store to run the suite against: its URL, with credentials in the environment as for the service. */
const OTHER = process.env['TEST_IMAGES_URL']
let server: TestS3 | undefined
beforeAll(async () => {
  if (OTHER) return
  server = await startS3()
  stubCredentials()
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await server?.close()
})

let places = 0
const driver = {
  newPlace: async () =>
    server?.newPlace() ?? (OTHER ?? '').replace(/\/*(\?|$)/, `/proofsheet-test-${Date.now()}-${places++}$1`),
  async open(IMAGES_URL: string, env: Record<string, string> = {}) {
    const { images, s3, signingWindowMs: windowMs } = readConfig({ IMAGES_URL, ...env })
    if (images.kind !== 's3') throw new Error(`${IMAGES_URL} is not S3`)
    const opened = await openS3Images({ ...images, ...s3, windowMs })
    onTestFinished(() => opened.close())
    return opened
  },
}

imagesSuite('S3', driver)

describe('S3', () => {
  const anyKey = () => pictureKey(randomUUID(), randomUUID())
  /** Open files of ours that no longer have a name. */
  const openFiles = async () => {
    const links = (await readdir('/proc/self/fd')).map((fd) =>
      readlink(`/proc/self/fd/${fd}`).catch(() => ''),
    )
    return (await Promise.all(links)).filter((link) => /proofsheet-\S+ \(deleted\)/.test(link))
  }

  test.skipIf(OTHER)('a list that comes in several answers is read to its end', async () => {
    const images = await driver.open(await driver.newPlace())
    const projectId = randomUUID()
    const keys = Array.from({ length: 3 }, () => pictureKey(projectId, randomUUID()))
    const asked: (string | null)[] = []
    const listen = server as TestS3
    onTestFinished(() => {
      listen.interfere = undefined
    })
    listen.interfere = (request, response) => {
      const { searchParams } = new URL(request.url ?? '', 'http://x')
      const token = searchParams.get('continuation-token')
      asked.push(token)
      const index = Number(token ?? 0)
      const more = index < 2 ? `<NextContinuationToken>${index + 1}</NextContinuationToken>` : ''
      const place = searchParams.get('prefix')?.replace(`${projectId}/`, '')
      response.writeHead(200, { 'content-type': 'application/xml' }).end(
        `<ListBucketResult><IsTruncated>${index < 2}</IsTruncated>${more}<Contents><Key>${place}${keys[index]}</Key>
         <LastModified>2026-03-01T06:00:00.000Z</LastModified></Contents></ListBucketResult>`,
      )
      return true
    }
    const found = (await Array.fromAsync(images.walk(projectId))).flat()
    expect(found).toEqual(keys.map((key) => ({ key, modified: Date.UTC(2026, 2, 1, 6) })))
    expect(asked).toEqual([null, '1', '2'])
  })

  test('slow readers of pictures do not delay uploads or checks', async () => {
    const images = await driver.open(await driver.newPlace(), { IMAGES_TIMEOUT: '3s' })
    const store = async () => {
      const [batch, key] = [await images.startBatch(), anyKey()]
      await batch.add(key, Buffer.alloc(100_000, 1))
      await batch.publish()
      await batch.discard()
      return key
    }
    const key = await store()
    const read = Array.from({ length: 40 }, () => images.open(key))
    const slow = await Promise.all(read)
    await store()
    await images.check()
    for (const image of slow) await image?.close()
  })

  test.skipIf(process.platform !== 'linux')(
    'a batch holds its pictures on disk, not in memory, and frees both',
    async () => {
      const images = await driver.open(await driver.newPlace())
      const before = { files: await openFiles(), bytes: process.memoryUsage().arrayBuffers }
      // Files of other tests may be closed meanwhile.
      const opened = async () => (await openFiles()).filter((link) => !before.files.includes(link)).length
      const batches = await Promise.all(Array.from({ length: 4 }, () => images.startBatch()))
      for (const batch of batches) {
        for (let index = 0; index < 10; index++) await batch.add(anyKey(), Buffer.alloc(4_000_000, index))
      }
      expect(await opened()).toBe(4)
      await collectGarbage()
      expect(process.memoryUsage().arrayBuffers - before.bytes).toBeLessThan(40_000_000)
      for (const batch of batches) await batch.discard()
      expect(await opened()).toBe(0)
    },
  )

  test('objects have a content type and a cache lifetime', async () => {
    const images = await driver.open(await driver.newPlace())
    const key = anyKey()
    const batch = await images.startBatch()
    await batch.add(key, Buffer.from('picture'))
    await batch.publish()
    await batch.discard()
    const { address } = await images.addresses({ now: Date.now(), origin: 'http://unused' })
    const { headers, status } = await fetch(address(key))
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
      200,
      'image/png',
      'public, max-age=86400, immutable',
    ])
  })

  test('a missing folder for temporary files is reported', async () => {
    const images = await driver.open(await driver.newPlace())
    vi.stubEnv('TMPDIR', '/nowhere')
    await expect(images.startBatch()).rejects.toMatchObject({
      code: 'storage_failed',
      message: expect.stringContaining('TMPDIR'),
    })
    vi.stubEnv('TMPDIR', undefined)
  })

  // Needs a stand-in for the server, which another store does not allow.
  test.skipIf(OTHER !== undefined)('few uploads and few bytes are sent at a time', async () => {
    const s3 = server as TestS3
    const images = await driver.open(await driver.newPlace())
    let [inside, most] = [0, 0]
    s3.interfere = (request, response) => {
      inside++
      most = Math.max(most, inside)
      response.once('close', () => inside--)
      const md5 = createHash('md5')
      request.on('data', (chunk) => md5.update(chunk))
      request.once('end', () =>
        setTimeout(() => response.writeHead(200, { etag: `"${md5.digest('hex')}"` }).end(), 20),
      )
      return true
    }
    onTestFinished(() => {
      s3.interfere = undefined
    })
    const publish = async (count: number, size: number, atOnce = 4) => {
      const batches = await Promise.all(Array.from({ length: atOnce }, () => images.startBatch()))
      for (const batch of batches) {
        for (let index = 0; index < count; index++) await batch.add(anyKey(), Buffer.alloc(size))
      }
      most = 0
      await Promise.all(batches.map((batch) => batch.publish()))
      await Promise.all(batches.map((batch) => batch.discard()))
      return most
    }
    expect(await publish(30, 10)).toBeLessThanOrEqual(32)
    expect(await publish(1, 30_000_000)).toBeLessThanOrEqual(2)
    expect(await publish(1, 70_000_000, 2)).toBe(1)
  })
})

test.skipIf(OTHER !== undefined)(
  'a picture that arrives slowly but steadily is read despite the time limit',
  async () => {
    const s3 = server as TestS3
    const images = await driver.open(await driver.newPlace(), { IMAGES_TIMEOUT: '2s' })
    s3.interfere = (_, response) => {
      response.writeHead(200, { 'content-length': '12', etag: '"x"' })
      let sent = 0
      const timer = setInterval(() => {
        response.write('x')
        if (++sent === 12) clearInterval(timer)
      }, 250)
      return true
    }
    onTestFinished(() => {
      s3.interfere = undefined
    })
    const image = await images.open(pictureKey('p', 'u'))
    expect(String(Buffer.concat((await image?.stream({ start: 0, end: 11 }).toArray()) ?? []))).toBe(
      'x'.repeat(12),
    )
  },
)

describe('credentials', () => {
  const withoutCredentials = () => {
    for (const name of Object.keys(S3_CREDENTIALS)) vi.stubEnv(name, undefined)
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true')
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/nowhere')
    vi.stubEnv('AWS_CONFIG_FILE', '/nowhere')
    onTestFinished(() => {
      vi.unstubAllEnvs()
      stubCredentials()
    })
  }

  test('if missing, let everything open, and operations that need them say what to set', async () => {
    withoutCredentials()
    const images = await driver.open(await driver.newPlace())
    for (const attempt of [() => images.addresses({ now: Date.now(), origin: '' }), () => images.check()]) {
      await expect(attempt()).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('set AWS_ACCESS_KEY_ID'),
      })
    }
  })

  test('from an agent that does not answer are unavailable within a limited time, and recover', async () => {
    withoutCredentials()
    let silent = false
    const agent = createServer((_, response) => {
      if (silent) return
      const Expiration = new Date(Date.now() + 1_000).toISOString()
      response.end(
        JSON.stringify({ AccessKeyId: 'S3RVER', SecretAccessKey: 'S3RVER', Token: 't', Expiration }),
      )
    })
    await new Promise<void>((resolve) => agent.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      agent.closeAllConnections()
      agent.close()
    })
    const { port } = agent.address() as AddressInfo
    vi.stubEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI', `http://127.0.0.1:${port}/`)
    const images = await driver.open(await driver.newPlace(), { IMAGES_TIMEOUT: '1500ms' })
    const address = () => images.addresses({ now: Date.now(), origin: '' })
    expect((await address()).address(pictureKey('p', 'u'))).toContain('X-Amz-Security-Token=t')
    silent = true
    await sleep(1_100)
    await expect(address()).rejects.toMatchObject({ code: 'unavailable' })
    await expect(address()).rejects.toMatchObject({ code: 'unavailable' })
    silent = false
    expect((await address()).tag).toContain('S3RVER')
  })
})

/** Unused buffers are freed only when the collector runs. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let round = 0; round < 3; round++) {
    await sleep(10)
    collect()
  }
}
