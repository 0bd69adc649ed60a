import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startService, type TestService } from '../support/http/service.ts'
import { serveProcess } from '../support/processes/process.ts'
import { PATIENCE_MS } from '../support/runner/patience.ts'
import { KEYS } from '../support/servers/keys.ts'
import { asAdmin } from '../support/servers/postgres.ts'
import { startProxy } from '../support/servers/tcp-proxy.ts'
import { useOwnPostgres } from '../support/servers/use-servers.ts'
import { addRows, makeKey, makeProject, rootsUrl } from '../support/store/results.ts'

const WAIT_MS = 1_000
const STATEMENT_MS = 1_000
/** The time to wait for a connection plus that of a statement. The system alone would wait for many minutes. */
const BOUND_MS = WAIT_MS + STATEMENT_MS + 60_000

const server = useOwnPostgres()

async function serve(env: Record<string, string> = {}) {
  const DATABASE_URL = env['DATABASE_URL'] ?? (await server.newDatabase())
  const service = await startService({
    DATABASE_WAIT: `${WAIT_MS}ms`,
    DATABASE_TIMEOUT: `${STATEMENT_MS}ms`,
    ...KEYS,
    ...env,
    DATABASE_URL,
  })
  const projectId = await makeProject(service.store)
  const rootId = await addRows(service.store, projectId, { jobs: 3 })
  return { service, projectId, rootId, list: rootsUrl(projectId), one: `${rootsUrl(projectId)}/${rootId}` }
}

/** Sends more requests at once than there are connections; each is a 503 within a limited time. */
async function expectUnavailable(service: TestService, path: string): Promise<void> {
  await Promise.all(
    Array.from({ length: 15 }, async () => {
      const began = Date.now()
      const answer = await service.get(path)
      expect([answer.status, Date.now() - began < BOUND_MS]).toEqual([503, true])
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(await answer.json()).toMatchObject({ code: 'unavailable', status: 503 })
    }),
  )
  expect((await service.get('/readyz')).status).toBe(503)
  expect((await service.get('/healthz')).status).toBe(200)
}

/** The time until it answers again, without any help. */
async function expectRecovery(service: TestService, path: string, what: string): Promise<void> {
  const began = Date.now()
  while ((await service.get(path)).status !== 200) {
    expect(Date.now() - began).toBeLessThan(PATIENCE_MS)
    await sleep(20)
  }
  process.stderr.write(`${what}: answers again after ${Date.now() - began} ms\n`)
  const answers = await Promise.all(Array.from({ length: 30 }, () => service.get(path)))
  expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]))
}

/** The server and every process it started. */
function processesOf(pid: number): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
  const children = lines
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, parent]) => parent === pid)
  return [pid, ...children.map(([child = 0]) => child)]
}

function signalAll(signal: 'SIGSTOP' | 'SIGCONT'): void {
  for (const pid of processesOf(server.pid)) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      // A session that has ended since the list was read.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}

describe('PostgreSQL', () => {
  test('killed: 503, then recovery after its restart, and nothing acknowledged is lost', async () => {
    const { service, projectId, one, rootId } = await serve()
    const acknowledged = [rootId]
    let stop = false
    const errors = new Set<string>()
    const writers = Array.from({ length: 4 }, async () => {
      while (!stop) {
        try {
          acknowledged.push(await addRows(service.store, projectId, { jobs: 5 }))
        } catch (error) {
          errors.add((error as { code: string }).code)
          await sleep(20)
        }
      }
    })
    while (acknowledged.length < 10) await sleep(20)
    await server.end('SIGKILL')
    await expectUnavailable(service, one)
    await server.start()
    await expectRecovery(service, one, 'killed and restarted')
    const recovered = acknowledged.length
    while (acknowledged.length < recovered + 10) await sleep(20)
    stop = true
    await Promise.all(writers)
    expect([...errors]).toEqual(['unavailable'])
    for (const each of acknowledged) expect(await service.store.findRoot(projectId, each)).toMatchObject({})
    const stored = await service.store.jobsOf(projectId, acknowledged)
    expect(stored).toHaveLength((acknowledged.length - 1) * 5 + 3)
  })

  test('stopped for maintenance and started again: 503, then recovery', async () => {
    const { service, one } = await serve()
    await server.end('SIGINT')
    await expectUnavailable(service, one)
    await server.start()
    await expectRecovery(service, one, 'restarted')
  })

  test('frozen and continued: 503 within a limited time, bad requests still answered, then recovery', async () => {
    const { service, projectId, one, list } = await serve()
    signalAll('SIGSTOP')
    onTestFinished(() => {
      signalAll('SIGCONT')
    })
    await expectUnavailable(service, one)
    await expectCheapRefusals(service, projectId)
    signalAll('SIGCONT')
    await expectRecovery(service, list, 'frozen and continued')
  })

  test('behind a black hole: 503 within a limited time, then recovery', async () => {
    const proxy = await startProxy(server.port)
    onTestFinished(() => proxy.close())
    const url = new URL(await server.newDatabase())
    url.port = String(proxy.port)
    const { service, one, projectId } = await serve({ DATABASE_URL: url.href })
    proxy.mode = 'swallow'
    await expectUnavailable(service, one)
    await expect(addRows(service.store, projectId)).rejects.toMatchObject({ code: 'unavailable' })
    proxy.mode = 'pass'
    await expectRecovery(service, one, 'black hole')
  })

  test('exhausted: 503 after a limited wait, bad requests need no connection, then recovery', async () => {
    const { service, projectId, one } = await serve({ DATABASE_POOL: '2', DATABASE_TIMEOUT: '10m' })
    const other = new pg.Client(service.databaseUrl)
    await other.connect()
    onTestFinished(() => other.end())
    await other.query('begin; lock table roots in access exclusive mode')
    const holders = [service.get(one), service.get(one)]
    const heldUp = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    while ((await asAdmin<unknown[]>(service.databaseUrl, heldUp)).length < 2) await sleep(10)
    const answer = await service.get(one)
    expect([answer.status, answer.headers.get('retry-after') !== null]).toEqual([503, true])
    await expectCheapRefusals(service, projectId)
    await other.query('rollback')
    expect((await Promise.all(holders)).map(({ status }) => status)).toEqual([200, 200])
    await expectRecovery(service, one, 'exhausted')
  })

  test('publishing holds no connection, however long it takes', async () => {
    const { service, projectId, one } = await serve({ DATABASE_POOL: '2' })
    const release = Promise.withResolvers<void>()
    const adding = Array.from({ length: 5 }, () =>
      service.store.addRoot(
        { projectId, rootId: randomUUID(), created: 1, digest: 'd', jobs: [] },
        () => release.promise,
      ),
    )
    for (let index = 0; index < 5; index++) expect((await service.get(one)).status).toBe(200)
    release.resolve()
    expect(new Set(await Promise.all(adding))).toEqual(new Set(['added']))
  })

  test('with fewer connections than the instances take: 503 and no crash', async () => {
    const { service, one, list } = await serve({ DATABASE_POOL: '40' })
    const admin = new pg.Client(await server.newDatabase())
    await admin.connect()
    onTestFinished(() => admin.end())
    const others: pg.Client[] = []
    onTestFinished(async () => {
      await Promise.all(others.map((other) => other.end()))
    })
    const url = await server.newDatabase()
    const takeAll = async () => {
      for (let refused = false; !refused; ) {
        const other = new pg.Client(url)
        other.on('error', () => {})
        await other.connect().then(
          () => others.push(other),
          () => {
            refused = true
          },
        )
      }
    }
    await takeAll()
    // Lists take turns: connections opened before may be enough for them. So the service keeps only one.
    const endAllButOne = `select pg_terminate_backend(pid, 5000)
      from (select pid from pg_stat_activity where datname = $1 and pid <> pg_backend_pid() offset 1) others`
    const database = new URL(service.databaseUrl ?? '').pathname.slice(1)
    const statuses = new Set<number>()
    for (;;) {
      const answers = await Promise.all(Array.from({ length: 40 }, () => service.get(list)))
      for (const { status } of answers) statuses.add(status)
      if (statuses.has(503)) break
      await admin.query(endAllButOne, [database])
      await takeAll()
    }
    expect(statuses).toEqual(new Set([200, 503]))
    await Promise.all(others.splice(0).map((other) => other.end()))
    await expectRecovery(service, one, 'too many connections')
  })

  test('a statement that waits for a lock ends by itself', async () => {
    const { service, one } = await serve()
    const other = new pg.Client(service.databaseUrl)
    await other.connect()
    onTestFinished(() => other.end())
    await other.query('begin; lock table projects, roots in access exclusive mode')
    await expectUnavailable(service, one)
    await other.query('rollback')
    await expectRecovery(service, one, 'locked')
  })
})

/** Mistakes in requests are reported without a connection: otherwise these would be 503, too. */
async function expectCheapRefusals(service: TestService, projectId: string): Promise<void> {
  const statuses = await Promise.all(
    [
      `${rootsUrl(projectId)}/not-an-id`,
      rootsUrl('not-an-id'),
      `${rootsUrl(projectId)}?limit=0`,
      `${rootsUrl(projectId)}?limit=2&cursor=nonsense`,
      '/api/nothing',
    ].map(async (path) => (await service.get(path)).status),
  )
  expect(statuses).toEqual([404, 404, 400, 400, 404])
}

test('an invalid key needs no connection', async () => {
  const { service, projectId, one } = await serve({ AUTH: 'keys' })
  const { secret } = await makeKey(service.store, projectId)
  expect((await service.get(one, { authorization: secret })).status).toBe(200)
  signalAll('SIGSTOP')
  onTestFinished(() => {
    signalAll('SIGCONT')
  })
  expect((await service.get(one)).status).toBe(401)
  expect((await service.get(one, { authorization: 'Bearer nonsense' })).status).toBe(401)
  expect((await service.get(one, { authorization: secret })).status).toBe(503)
})

test('SIGTERM ends a service whose database is frozen', async () => {
  const DATABASE_URL = await server.newDatabase()
  const env = { DATABASE_URL, ...KEYS, DATABASE_WAIT: '2s', DATABASE_TIMEOUT: '3s' }
  const service = await serveProcess(env)
  signalAll('SIGSTOP')
  onTestFinished(() => {
    signalAll('SIGCONT')
  })
  const answers = Array.from({ length: 12 }, () => fetch(`${service.url}${rootsUrl(randomUUID())}`))
  // By the time a later request is answered, those before it are under way.
  for (let index = 0; index < 3; index++) await fetch(`${service.url}/healthz`)
  service.child.kill('SIGTERM')
  expect((await service.ended).code).toBe(0)
  for (const answer of await Promise.all(answers)) expect(answer.status).toBe(503)
})

test('SIGTERM ends the process after SHUTDOWN_TIMEOUT, however long the database takes', async () => {
  const proxy = await startProxy(server.port)
  onTestFinished(() => proxy.close())
  const address = new URL(await server.newDatabase())
  address.port = String(proxy.port)
  const service = await serveProcess({
    ...{ DATABASE_URL: address.href, ...KEYS, SHUTDOWN_TIMEOUT: '500ms' },
    ...{ DATABASE_WAIT: '5m', DATABASE_TIMEOUT: '5m' },
  })
  proxy.mode = 'swallow'
  const answer = fetch(`${service.url}${rootsUrl(randomUUID())}`).catch(() => undefined)
  // By the time a later request is answered, the one before it is under way, and so is the query of the queue.
  for (let index = 0; index < 3; index++) await fetch(`${service.url}/healthz`)
  await sleep(1_500)
  service.child.kill('SIGTERM')
  expect((await service.ended).code).toBe(1)
  expect(service.stderr()).toMatch(/"level":50.*not everything has ended within SHUTDOWN_TIMEOUT/)
  await answer
})
