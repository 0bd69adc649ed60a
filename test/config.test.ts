import { glob, readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ConfigError, readConfig } from '../src/config/config.ts'
import type { Setting } from '../src/config/settings/setting.ts'
import { settings } from '../src/config/settings.ts'

const root = new URL('..', import.meta.url)
const KEY = `k1:${Buffer.alloc(32).toString('base64')}`
const all: Record<string, Setting<unknown>> = settings

describe('defaults', () => {
  test('without settings it listens on loopback, requires no key and limits no rate', () => {
    const config = readConfig({})
    expect(config).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      auth: 'open',
      signingWindowMs: 12 * 3_600_000,
      rateLimit: undefined,
      corsOrigins: [],
      limits: { listPage: 100 },
    })
    expect(Object.isFrozen(config) && Object.isFrozen(config.limits)).toBe(true)
  })

  test('an empty variable counts as unset', () => {
    expect(readConfig({ PORT: '', HOST: ' ' })).toEqual(readConfig({}))
  })

  test.each(Object.entries(all))('%s: default and example are valid', (name, setting) => {
    if (typeof setting.default === 'string') setting.parse(setting.default)
    // An example that must exist on this machine.
    const example =
      name === 'CHROMIUM_PATH'
        ? process.execPath
        : setting.example.replaceAll('<base64>', Buffer.alloc(32).toString('base64'))
    // Other settings that some settings require.
    const beside = { SIGNING_KEYS: KEY, SECRET_KEYS: KEY, IMAGES_PUBLIC_URL: 'https://cdn.example.com' }
    expect(() => readConfig({ ...beside, [name]: example })).not.toThrow()
  })
})

describe('the default of AUTH depends on HOST', () => {
  test.each([
    ['127.0.0.1', undefined, 'open'],
    ['127.8.9.1', undefined, 'open'],
    ['localhost', undefined, 'open'],
    ['::1', undefined, 'open'],
    ['127.0.0.1', 'keys', 'keys'],
    ['0.0.0.0', undefined, 'keys'],
    ['::', undefined, 'keys'],
    ['10.0.0.5', undefined, 'keys'],
    ['shots.internal', undefined, 'keys'],
    ['0.0.0.0', 'open-to-everyone', 'open-to-everyone'],
  ])('HOST=%s AUTH=%s is %s', (HOST, AUTH, expected) => {
    expect(readConfig({ HOST, AUTH }).auth).toBe(expected)
  })

  test.each(['0.0.0.0', '::', '192.168.1.2', 'localhost.example.com'])(
    'AUTH=open refuses HOST=%s',
    (HOST) => {
      expect(() => readConfig({ HOST, AUTH: 'open' })).toThrow(/AUTH=open would let anyone/)
    },
  )
})

describe('storage URLs', () => {
  test.each([
    ['sqlite:data/my store 100%.db', resolve('data/my store 100%.db')],
    ['sqlite:///srv/a%20b.db', '/srv/a%20b.db'],
  ])('%s is %s, without decoding', (DATABASE_URL, path) => {
    expect(readConfig({ DATABASE_URL }).database).toEqual({ kind: 'sqlite', path })
  })

  test.each(['sqlite:', 'sqlite::memory:', 'sqlite://host/x.db', 'sqlite:///x.db?mode=ro', 'sqlite:x#1.db'])(
    '%s is refused',
    (DATABASE_URL) => {
      expect(() => readConfig({ DATABASE_URL })).toThrow(
        'DATABASE_URL must be sqlite:relative/path or sqlite:///absolute/path',
      )
    },
  )
})

describe('server URLs', () => {
  const server = { SIGNING_KEYS: KEY, SECRET_KEYS: KEY }

  test.each([
    'postgres://me:secret@db.internal:5433/shots?sslmode=verify-full&sslrootcert=/etc/ca.pem',
    'postgresql://db.internal/shots',
    'postgres://me@/shots?host=/var/run/postgresql',
    'postgres:///shots',
  ])('%s is PostgreSQL, without decoding', (DATABASE_URL) => {
    expect(readConfig({ ...server, DATABASE_URL }).database).toEqual({ kind: 'postgres', url: DATABASE_URL })
  })

  test('the service with PostgreSQL and pictures in a folder requires SIGNING_KEYS', () => {
    const given = { DATABASE_URL: 'postgres://db.internal/shots', SECRET_KEYS: KEY }
    expect(readConfig(given, { serving: false }).signingKeys).toBeUndefined()
    expect(() => readConfig(given)).toThrow('SIGNING_KEYS is required with PostgreSQL')
    expect(readConfig({ ...given, IMAGES_URL: 's3://shots' }).signingKeys).toBeUndefined()
  })

  test('the service and a worker with PostgreSQL require SECRET_KEYS, and the error says how to create one', () => {
    const given = { DATABASE_URL: 'postgres://db.internal/shots', IMAGES_URL: 's3://shots' }
    expect(readConfig(given, { serving: false }).secretKeys).toBeUndefined()
    for (const purpose of [{}, { serving: false, capturing: true }]) {
      expect(() => readConfig(given, purpose)).toThrow(/SECRET_KEYS is required.*echo k1:\$\(openssl rand/)
      const keys = readConfig({ ...given, SECRET_KEYS: `k2:${KEY.slice(3)},${KEY}` }, purpose).secretKeys
      expect(keys?.map(({ id }) => id)).toEqual(['k2', 'k1'])
    }
  })

  test.each([
    [
      's3://shots?region=eu-central-1',
      { bucket: 'shots', prefix: '', endpoint: undefined, region: 'eu-central-1', style: 'virtual' },
    ],
    [
      's3://shots/team%20a/web/?endpoint=http://127.0.0.1:9000/',
      { bucket: 'shots', prefix: 'team a/web/', endpoint: 'http://127.0.0.1:9000', style: 'path' },
    ],
    [
      's3://my.shots?endpoint=https://storage.example.com&style=virtual',
      { bucket: 'my.shots', endpoint: 'https://storage.example.com', style: 'virtual' },
    ],
  ])('%s', (IMAGES_URL, expected) => {
    expect(readConfig({ IMAGES_URL }).images).toMatchObject({ kind: 's3', ...expected })
  })

  test.each([
    ['s3:shots', 'must be s3://bucket'],
    ['s3://', 'must be s3://bucket'],
    ['s3://x?region=y', 'must be s3://bucket'],
    ['s3://shots:9000', 'must be s3://bucket'],
    ['s3://key:secret@shots', 'must not contain credentials'],
    ['s3://shots?regoin=eu', 'not regoin'],
    ['s3://shots?style=best', 'style=path or style=virtual'],
    ['s3://shots/a//b', 'plain prefix'],
    ['s3://shots/%zz', 'plain prefix'],
    ['s3://shots--euc1-az1--x-s3', 'not a directory bucket'],
    ['s3://shots?region=aws-global', 'must name a region'],
    ['s3://shots?region=eu central', 'must name a region'],
    ['s3://shots/%2e%2e%2fb', 'plain prefix'],
    ['s3://shots?endpoint=minio:9000', 'endpoint that must be an http or https address'],
  ])('%s is refused', (IMAGES_URL, message) => {
    expect(() => readConfig({ IMAGES_URL })).toThrow(message)
  })
})

test.each(['prefer', 'allow', 'bogus'])('sslmode=%s is refused: it would do something else', (sslmode) => {
  const DATABASE_URL = `postgres://db.internal/shots?sslmode=${sslmode}`
  expect(() => readConfig({ DATABASE_URL, SIGNING_KEYS: KEY, SECRET_KEYS: KEY })).toThrow(`not ${sslmode}`)
})

describe('mistakes', () => {
  test('are reported together, by name, with the values allowed', () => {
    const wrong = {
      HOST: 'not a host',
      PORT: '70000',
      DATABASE_URL: 'mysql://x',
      IMAGES_URL: 'ftp://x',
      PUBLIC_URL: 'https://u:p@x/',
      AUTH: 'yes',
      SIGNING_KEYS: 'x',
      SECRET_KEYS: 'x',
      SIGNING_WINDOW: '85h',
      CORS_ORIGINS: 'https://a.example/path',
      RATE_LIMIT: '5',
      METRICS_TOKEN: 'short',
      LOG_LEVEL: 'loud',
      PAGE_LIMIT: '0',
      MAX_JOBS_PER_ROOT: '1e3',
      REQUEST_TIMEOUT: '10',
    }
    let mistakes: readonly string[] = []
    try {
      readConfig(wrong)
    } catch (error) {
      mistakes = (error as ConfigError).mistakes
    }
    expect(mistakes.map((mistake) => mistake.split(' ')[0])).toEqual(
      expect.arrayContaining(Object.keys(wrong)),
    )
    expect(mistakes).toHaveLength(Object.keys(wrong).length)
    expect(mistakes).toContain('PORT must be a whole number from 0 to 65535 (it is "70000")')
  })

  test('never show a secret', () => {
    const secret = 'hunter2hunter2'
    expect(() =>
      readConfig({ METRICS_TOKEN: secret, SIGNING_KEYS: `a:${secret}`, SECRET_KEYS: `a:${secret}` }),
    ).toThrow(ConfigError)
    try {
      readConfig({ METRICS_TOKEN: secret, SIGNING_KEYS: `a:${secret}`, SECRET_KEYS: `a:${secret}` })
    } catch (error) {
      expect(String(error)).not.toContain(secret)
    }
    const withPassword = {
      DATABASE_URL: 'postgres:me:hunter2@host/db?password=hunter2',
      IMAGES_URL: 's3://me:hunter2@bucket?secret=hunter2',
      PUBLIC_URL: 'https://me:hunter2@host',
    }
    expect(() => readConfig(withPassword)).not.toThrow(/hunter2/)
    expect(() => readConfig(withPassword)).toThrow(ConfigError)
  })
})

describe('the table in docs/settings.md', () => {
  test('equals the table in the code', async () => {
    const document = await readFile(new URL('docs/settings.md', root), 'utf8')
    const rows = Object.entries(all).map(([name, { type, default: preset, example, help }]) => {
      const shown = typeof preset === 'string' ? `\`${preset}\`` : preset.words
      return `| \`${name}\` | ${type} | ${shown} | \`${example}\` | ${help} |`
    })
    const table = [
      '| Variable | Type | Default | Example | Meaning |',
      '|---|---|---|---|---|',
      ...rows,
    ].join('\n')
    expect(document).toContain(table)
  })

  test('no other file reads the environment', async () => {
    const readers: string[] = []
    for await (const path of glob('src/**/*.ts', { cwd: root })) {
      if ((await readFile(new URL(path, root), 'utf8')).includes('process.env')) readers.push(path)
    }
    expect(readers).toEqual(['src/config/config.ts'])
  })
})
