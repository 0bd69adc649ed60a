import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { createS3Addresses, openS3Images } from '../../src/images/s3/s3.ts'
import type { S3Credentials } from '../../src/images/s3/sigv4.ts'
import { stubCredentials } from '../support/servers/use-servers.ts'

const HOUR = 3_600_000
const NOW = Date.UTC(2026, 2, 1, 6)
const KEY = 'p/u.png'

function addressing(credentials: () => Promise<S3Credentials>, windowMs = 12 * HOUR) {
  const address = { origin: 'https://s.example', host: 's.example', path: '/shots/' }
  return createS3Addresses({ address, region: 'auto', credentials }, { prefix: 'x/', windowMs })
}

const lasting = { accessKeyId: 'A', secretAccessKey: 'S' }

/** The period in which a URL is valid, in milliseconds. */
function lifeOf(address: string): { from: number; to: number } {
  const query = new URL(address).searchParams
  const from = Date.parse(
    (query.get('X-Amz-Date') ?? '').replace(/(....)(..)(..T..)(..)(..Z)/, '$1-$2-$3:$4:$5'),
  )
  return { from, to: from + Number(query.get('X-Amz-Expires')) * 1000 }
}

describe('the validity of a picture URL', () => {
  test('is one to two signing windows, and the same within one', async () => {
    const addresses = addressing(async () => lasting)
    const first = await addresses(NOW)
    expect(lifeOf(first.address(KEY))).toEqual({ from: NOW - 6 * HOUR, to: NOW + 18 * HOUR })
    expect((await addresses(NOW + 6 * HOUR - 1)).address(KEY)).toBe(first.address(KEY))
    expect((await addresses(NOW + 6 * HOUR)).address(KEY)).not.toBe(first.address(KEY))
  })

  test('never exceeds seven days', async () => {
    for (const windowMs of [84 * HOUR, 100 * HOUR]) {
      const { from, to } = lifeOf((await addressing(async () => lasting, windowMs)(NOW)).address(KEY))
      expect(to - from).toBe(7 * 24 * HOUR)
    }
  })

  test('ends with the credentials, and the tag depends on them', async () => {
    const expiration = new Date(NOW + 2 * HOUR + 500)
    const addresses = addressing(async () => ({ ...lasting, sessionToken: 't', expiration }))
    const { tag, address } = await addresses(NOW)
    expect(lifeOf(address(KEY)).to).toBe(NOW + 2 * HOUR)
    expect(tag).not.toBe((await addressing(async () => ({ ...lasting, sessionToken: 't' }))(NOW)).tag)
  })

  test('new credentials give new URLs and another tag within a second', async () => {
    let credentials: S3Credentials = {
      ...lasting,
      sessionToken: 'one',
      expiration: new Date(NOW + HOUR),
    }
    const addresses = addressing(async () => credentials)
    const before = await addresses(NOW)
    credentials = { ...lasting, sessionToken: 'two', expiration: new Date(NOW + 7 * HOUR) }
    expect((await addresses(NOW + 999)).tag).toBe(before.tag)
    const after = await addresses(NOW + 1_000)
    expect(after.tag).not.toBe(before.tag)
    expect(after.address(KEY)).toContain('Token=two')
  })
})

describe('credentials that cannot be renewed', () => {
  test('are used until they expire; then the storage is unavailable', async () => {
    let works = true
    const expiration = new Date(NOW + HOUR)
    const addresses = addressing(async () => {
      if (!works) throw new Error('the role cannot be reached')
      return { ...lasting, expiration }
    })
    const before = await addresses(NOW)
    works = false
    expect((await addresses(NOW + HOUR - 1)).tag).toBe(before.tag)
    await expect(addresses(NOW + HOUR)).rejects.toThrow('the role cannot be reached')
    works = true
    await expect(addresses(NOW + HOUR)).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('the tag contains no secret', async () => {
    const secret = { accessKeyId: 'A', secretAccessKey: 'very-secret', sessionToken: 'token-secret' }
    expect((await addressing(async () => secret)(NOW)).tag).not.toMatch(/secret/)
  })
})

describe('the host of picture URLs', () => {
  const openAddresses = async (env: Record<string, string>) => {
    stubCredentials()
    onTestFinished(() => void vi.unstubAllEnvs())
    const { images, s3, signingWindowMs: windowMs } = readConfig(env)
    if (images.kind !== 's3') throw new Error('not S3')
    const opened = await openS3Images({ ...images, ...s3, windowMs })
    onTestFinished(() => opened.close())
    return await opened.addresses({ now: NOW, origin: 'http://unused' })
  }
  const open = async (env: Record<string, string>) => (await openAddresses(env)).address(KEY)

  test.each([
    ['s3://shots?region=eu-central-1', 'https://shots.s3.eu-central-1.amazonaws.com/p/u.png'],
    ['s3://my.shots?region=eu-central-1', 'https://s3.eu-central-1.amazonaws.com/my.shots/p/u.png'],
    ['s3://shots?region=us-east-1&style=path', 'https://s3.us-east-1.amazonaws.com/shots/p/u.png'],
    ['s3://shots?region=cn-north-1', 'https://shots.s3.cn-north-1.amazonaws.com.cn/p/u.png'],
    ['s3://shots/team?endpoint=http://127.0.0.1:9000', 'http://127.0.0.1:9000/shots/team/p/u.png'],
    [
      's3://shots?endpoint=https://acc.r2.cloudflarestorage.com&region=auto&style=virtual',
      'https://shots.acc.r2.cloudflarestorage.com/p/u.png',
    ],
    ['s3://shots?endpoint=https://storage.googleapis.com', 'https://storage.googleapis.com/shots/p/u.png'],
  ])('%s', async (IMAGES_URL, expected) => {
    expect((await open({ IMAGES_URL })).split('?')[0]).toBe(expected)
  })

  test('IMAGES_PUBLIC_URL changes the host, and with IMAGES_SIGNED_HOST=public the signature', async () => {
    const env = { IMAGES_URL: 's3://shots?region=eu-central-1', IMAGES_PUBLIC_URL: 'https://cdn.example.com' }
    const own = await open({ IMAGES_URL: env.IMAGES_URL })
    const cdn = await open(env)
    const proxy = await open({ ...env, IMAGES_SIGNED_HOST: 'public' })
    expect(cdn).toBe(own.replace('shots.s3.eu-central-1.amazonaws.com', 'cdn.example.com'))
    expect(proxy.split('?')[0]).toBe('https://cdn.example.com/p/u.png')
    expect(proxy).not.toBe(cdn)
  })

  test('whatever changes a URL changes the tag, and with it the ETag', async () => {
    const base = 's3://shots?endpoint=https://s3.example.com'
    const worlds = [
      { IMAGES_URL: base },
      { IMAGES_URL: `${base}&region=eu-central-1` },
      { IMAGES_URL: 's3://shots?endpoint=https://other.example.com' },
      { IMAGES_URL: base, IMAGES_PUBLIC_URL: 'https://cdn.example.com' },
      { IMAGES_URL: base, IMAGES_PUBLIC_URL: 'https://cdn.example.com', IMAGES_SIGNED_HOST: 'public' },
      {
        IMAGES_URL: 's3://shots?endpoint=https://other.example.com',
        IMAGES_PUBLIC_URL: 'https://cdn.example.com',
      },
    ]
    const made = await Promise.all(worlds.map(openAddresses))
    expect(new Set(made.map(({ tag }) => tag)).size).toBe(worlds.length)
    expect(new Set(made.map(({ address }) => address(KEY))).size).toBe(worlds.length)
  })

  test('AWS without a region is refused with the setting that is missing', async () => {
    vi.stubEnv('AWS_CONFIG_FILE', '/nowhere')
    await expect(open({ IMAGES_URL: 's3://shots' })).rejects.toThrow('S3 needs a region')
  })
})
