import { request } from 'node:http'
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPresigner } from '../../src/images/s3/sigv4.ts'
import { rounds } from '../support/runner/rounds.ts'
import { startS3, type TestS3 } from '../support/servers/s3.ts'

const CHECKSUMS = {
  requestChecksumCalculation: 'WHEN_REQUIRED',
  responseChecksumValidation: 'WHEN_REQUIRED',
} as const

const keys = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ' ',
        '+',
        '~',
        '/',
        '//',
        '%',
        '%20',
        '!',
        "'",
        '(',
        ')',
        '*',
        '&',
        '=',
        '?',
        '#',
        ':',
        '@',
        '$',
      ),
      fc.constantFrom('ü', '日本', '😀', 'é', '.', '..', '-', '_', ',', ';', '"', '\\', '\n', 'a', 'Z', '9'),
      fc.string({ maxLength: 8 }),
      fc.uuid().map((id) => `${id}.png`),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((parts) => parts.join(''))

const settings = fc.record({
  region: fc.constantFrom('us-east-1', 'eu-central-1', 'auto', 'ap-southeast-2'),
  style: fc.constantFrom('path', 'virtual'),
  endpoint: fc.constantFrom(
    undefined,
    'http://127.0.0.1:9000',
    'https://acc.example.com',
    'https://h.example/base',
  ),
  sessionToken: fc.option(fc.base64String({ minLength: 4, maxLength: 400 }), { nil: undefined }),
  accessKeyId: fc.stringMatching(/^[A-Za-z0-9/+!'()*~]{3,20}$/),
  secretAccessKey: fc.stringMatching(/^[\x20-\x7e]{1,60}$/),
  signed: fc.integer({ min: 1_000_000_000, max: 4_000_000_000 }),
  life: fc.integer({ min: 1, max: 604_800 }),
})

describe('presigned URLs', () => {
  test('property: equal those of the SDK', async () => {
    let compared = 0
    await fc.assert(
      fc.asyncProperty(settings, fc.array(keys, { minLength: 10, maxLength: 10 }), async (given, some) => {
        const { region, style, endpoint, accessKeyId, secretAccessKey, sessionToken, signed, life } = given
        const credentials = {
          accessKeyId,
          secretAccessKey,
          ...(sessionToken !== undefined && { sessionToken }),
        }
        const client = new S3Client({
          region,
          credentials,
          forcePathStyle: style === 'path',
          ...(endpoint !== undefined && { endpoint }),
          ...CHECKSUMS,
        })
        const presign = createPresigner({
          bucket: bucketOf(given),
          region,
          credentials,
          signed,
          expires: signed + life,
        })
        const options = { expiresIn: life, signingDate: new Date(signed * 1000) }
        for (const Key of some) {
          const theirs = await getSignedUrl(client, new GetObjectCommand({ Bucket: 'shots', Key }), options)
          expect(presign(Key)).toBe(theirs)
          compared++
        }
      }),
      { numRuns: rounds(40) },
    )
    expect(compared).toBeGreaterThanOrEqual(rounds(400))
  })
})

/** Written out by hand, so that the expected value does not come from the SDK. */
function bucketOf({
  region,
  style,
  endpoint,
}: {
  region: string
  style: string
  endpoint: string | undefined
}) {
  const { protocol, host, pathname } = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`)
  const base = pathname.replace(/\/$/, '')
  // An address of numbers has no sub-domains.
  const virtual = style === 'virtual' && !host.startsWith('127.')
  const bucketHost = virtual ? `shots.${host}` : host
  return {
    origin: `${protocol}//${bucketHost}`,
    host: bucketHost,
    path: virtual ? `${base}/` : `${base}/shots/`,
  }
}

describe('a server that verifies', () => {
  let s3: TestS3
  beforeAll(async () => {
    s3 = await startS3()
    const client = new S3Client({
      region: 'eu-central-1',
      endpoint: `http://127.0.0.1:${s3.port}`,
      forcePathStyle: true,
      credentials,
      ...CHECKSUMS,
    })
    for (const Key of names)
      await client.send(new PutObjectCommand({ Bucket: 'shots', Key, Body: `bytes of ${Key}` }))
    client.destroy()
  })
  afterAll(() => s3.close())

  const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }
  const get = (address: string, host?: string) =>
    new Promise<{ status: number; body: string }>((resolve, reject) => {
      const { pathname, search } = new URL(address)
      // Unchanged: a client that normalizes the URL would change what was signed.
      const path = address.slice(address.indexOf(pathname))
      expect(path.endsWith(search)).toBe(true)
      request({ host: '127.0.0.1', port: s3.port, path, headers: host ? { host } : {} }, async (response) => {
        const chunks = await response.toArray()
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() })
      })
        .on('error', reject)
        .end()
    })
  // Path style only: of a virtual host this server verifies another path than S3 does, and refuses the SDK as well.
  const presigner = ({ life = 3_600, ago = 60 } = {}) => {
    const signed = Math.floor(Date.now() / 1000) - ago
    const host = `127.0.0.1:${s3.port}`
    const bucket = { origin: `http://${host}`, host, path: '/shots/' }
    return createPresigner({ bucket, region: 'eu-central-1', credentials, signed, expires: signed + life })
  }
  const names = [
    'plain.png',
    'with space.png',
    'plus+.png',
    'tilde~.png',
    'ü/日本/😀.png',
    "it's (1)!*.png",
    'a/b/c.png',
  ]

  test.each(names)('accepts the URL of %s', async (name) => {
    expect(await get(presigner()(name))).toEqual({ status: 200, body: `bytes of ${name}` })
  })

  test('refuses another key, another signature, another host, and an expired URL', async () => {
    const address = presigner()('plain.png')
    const refused = [
      address.replace('plain.png', 'a/b/c.png'),
      address.replace(/Signature=./, (text) => (text.endsWith('0') ? 'Signature=1' : 'Signature=0')),
      address.replace('X-Amz-Expires=3600', 'X-Amz-Expires=3601'),
      presigner({ ago: 120, life: 60 })('plain.png'),
    ]
    for (const each of refused) expect((await get(each)).status).toBe(403)
    expect((await get(address, 'elsewhere.example')).status).not.toBe(200)
    expect((await get(address)).status).toBe(200)
  })
})
