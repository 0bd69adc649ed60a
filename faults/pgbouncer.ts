import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, chmod, constants, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../test/support/servers/ports.ts'

const FOLDERS = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin', '/usr/local/sbin']
/** PgBouncer refuses to run as root. */
const NOBODY = 65_534

export interface PgBouncer {
  readonly port: number
  /** How many connections it has to the server, at most. */
  readonly connections: number
  start(): Promise<void>
  kill(): Promise<void>
  close(): Promise<void>
}

/** The path of PgBouncer, if it is installed. */
export async function findPgBouncer(): Promise<string | undefined> {
  for (const folder of FOLDERS) {
    const path = join(folder, 'pgbouncer')
    if (
      await access(path, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return path
  }
  return undefined
}

/** Starts PgBouncer on 127.0.0.1 in transaction mode, in front of a PostgreSQL of the tests. Call `close`. */
export async function startPgBouncer(path: string, postgresPort: number): Promise<PgBouncer> {
  const connections = 10
  const folder = await mkdtemp(join(tmpdir(), 'proofsheet-pgbouncer-'))
  await chmod(folder, 0o711)
  const port = await freePort()
  await writeFile(join(folder, 'users'), '"proofsheet" "secret"\n')
  await writeFile(
    join(folder, 'ini'),
    `[databases]
* = host=127.0.0.1 port=${postgresPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${join(folder, 'users')}
pool_mode = transaction
default_pool_size = ${connections}
max_client_conn = 500
`,
  )
  const isRoot = process.getuid?.() === 0
  let child: ChildProcess | undefined
  const start = async () => {
    child = spawn(path, ['-q', join(folder, 'ini')], {
      stdio: 'ignore',
      ...(isRoot && { uid: NOBODY, gid: NOBODY }),
    })
    while (!(await answers(port))) {
      if (child.exitCode !== null) throw new Error(`PgBouncer ended with ${child.exitCode}`)
      await sleep(50)
    }
  }
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  await start()
  return {
    port,
    connections,
    start,
    kill,
    async close() {
      await kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const { promise, resolve } = Promise.withResolvers<boolean>()
  socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  const answered = await promise
  socket.destroy()
  return answered
}
