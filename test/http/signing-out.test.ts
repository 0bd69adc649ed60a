import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openEvents } from '../support/http/event-stream.ts'
import { eventsUrl } from '../support/http/requests.ts'
import { startService, type TestService } from '../support/http/service.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { KEYS } from '../support/servers/keys.ts'
import { setDefault } from '../support/servers/postgres.ts'
import { usePostgres } from '../support/servers/use-servers.ts'
import { newRequest } from '../support/store/captures.ts'
import { makeKey, makeProject } from '../support/store/results.ts'

const postgres = usePostgres()
const OWN = { 'sec-fetch-site': 'same-origin' }
/** Both instances have the same host: a cookie of one is also sent to the other. */
const SHARED = { AUTH: 'keys', CAPTURE_CONCURRENCY: '0', PUBLIC_URL: 'https://shots.example.com' }

const WORLDS: [string, () => Promise<Record<string, string>>][] = [
  ['SQLite', async () => ({ DATA_DIR: join(await makeFolder(), 'data') })],
  ['PostgreSQL', async () => ({ DATABASE_URL: await postgres.newDatabase(), ...KEYS })],
]

type Cookie = { readonly cookie: string }

const cookieOf = (answer: Response): Cookie => ({
  cookie: (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '',
})
const status = async ({ url }: TestService, projectId: string, cookie: Cookie) =>
  (await fetch(`${url}/api/projects/${projectId}`, { headers: cookie })).status
const signOut = ({ url }: TestService, cookie: Cookie, keyId = '') =>
  fetch(`${url}/api/session${keyId && `/${keyId}`}`, { method: 'DELETE', headers: { ...OWN, ...cookie } })

async function signIn({ url }: TestService, key: string, before: Partial<Cookie> = {}): Promise<Cookie> {
  const answer = await fetch(`${url}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...OWN, ...before },
    body: JSON.stringify({ key }),
  })
  expect(answer.status).toBe(200)
  return cookieOf(answer)
}

describe.each(WORLDS)('signing out (%s)', (engine, newWorld) => {
  const open = async () => {
    const env: Record<string, string> = { ...SHARED, ...(await newWorld()) }
    const instances = [await startService(env), await startService(env)] as const
    const [one] = instances
    const projectId = await makeProject(one.store)
    return { env, instances, projectId, ...(await makeKey(one.store, projectId)) }
  }

  test('ends the session: every instance refuses its cookies, and no cookies of another session', async () => {
    const { instances, projectId, secret } = await open()
    const [one, two] = instances
    const first = await signIn(one, secret)
    const { secret: second } = await makeKey(one.store, await makeProject(one.store))
    // The same session, with another key, and with the same key again.
    const cookies = [first, await signIn(two, second, first), await signIn(one, secret, first)]
    const other = await signIn(two, secret)
    for (const each of instances)
      for (const cookie of [...cookies, other]) expect(await status(each, projectId, cookie)).toBe(200)
    const answer = await signOut(two, first)
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([
      200,
      expect.stringContaining('Max-Age=0'),
    ])
    for (const each of instances) {
      for (const cookie of cookies) expect(await status(each, projectId, cookie)).toBe(401)
      expect(await status(each, projectId, other)).toBe(200)
    }
    // A client with the old cookie cannot continue it by signing in, and may sign out again.
    const again = await signIn(one, secret, first)
    expect(await status(two, projectId, again)).toBe(200)
    expect(await status(two, projectId, first)).toBe(401)
    expect((await signOut(one, first)).status).toBe(200)
    expect(await status(two, projectId, again)).toBe(200)
  })

  test('with one key keeps the session with the others, and the cookie with all keys is refused', async () => {
    const { instances, projectId, secret, keyId } = await open()
    const [one, two] = instances
    const otherId = await makeProject(one.store)
    const { secret: second } = await makeKey(one.store, otherId)
    const both = await signIn(one, second, await signIn(one, secret))
    const left = cookieOf(await signOut(one, both, keyId))
    expect(await status(two, otherId, left)).toBe(200)
    expect(await status(two, projectId, left)).toBe(404)
    expect(await status(two, otherId, both)).toBe(401)
    // Signing out with a key that the session does not have changes nothing.
    expect(cookieOf(await signOut(one, left, 'other')).cookie).not.toBe('')
    expect(await status(two, otherId, left)).toBe(200)
  })

  test('among many requests with the same cookie refuses those that come after it', async () => {
    const { instances, projectId, secret } = await open()
    const cookie = await signIn(instances[0], secret)
    let isOver = false
    const late: number[] = []
    const asking = instances.flatMap((each) =>
      Array.from({ length: 4 }, async () => {
        for (let after = 0; after < 3; ) {
          const begunAfter = isOver
          const answer = await status(each, projectId, cookie)
          if (begunAfter) late.push(answer)
          if (begunAfter) after++
        }
      }),
    )
    await Promise.all([signOut(instances[0], cookie), signOut(instances[1], cookie)])
    isOver = true
    await Promise.all(asking)
    expect(new Set(late)).toEqual(new Set([401]))
  })

  test('ends the event streams of the session', async () => {
    const { instances, projectId, secret } = await open()
    const [one, two] = instances
    const cookie = await signIn(one, secret)
    const rootId = await one.store.captures.accept(newRequest(projectId))
    const events = await openEvents(two.url + eventsUrl(projectId, rootId), cookie)
    const others = await openEvents(two.url + eventsUrl(projectId, rootId), { authorization: secret })
    await events.next()
    await others.next()
    expect((await signOut(one, cookie)).status).toBe(200)
    expect(await events.rest()).toEqual([])
    const task = await one.store.captures.takeNext({ now: 1, leaseMs: 1_000 })
    expect(task).toBeDefined()
    expect((await others.next())?.status.state).toBe('running')
  })

  test('is 503 if nothing can be written; signing in and reading continue', async () => {
    const { env, instances, projectId, secret } = await open()
    const [one] = instances
    const ended = await signIn(one, secret)
    await signOut(one, ended)
    if (engine === 'SQLite') {
      const writer = new DatabaseSync(join(one.dataDir, 'proofsheet.db'))
      onTestFinished(() => writer.close())
      writer.exec('begin immediate')
    } else await setDefault(env['DATABASE_URL'] ?? '', 'default_transaction_read_only = on')
    const service = engine === 'SQLite' ? one : await startService(env)
    const cookie = await signIn(service, secret)
    const answer = await signOut(service, cookie)
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([503, null])
    expect(await status(service, projectId, cookie)).toBe(200)
    // An ended session is not ended again.
    expect((await signOut(service, ended)).status).toBe(200)
  })
})
