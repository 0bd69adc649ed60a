import { execFileSync } from 'node:child_process'
import { rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished, test } from 'vitest'
import { mountSmall } from '../test/support/processes/small-disk.ts'
import { makeFolder } from '../test/support/processes/workspace.ts'
import { useOwnPostgres, useS3 } from '../test/support/servers/use-servers.ts'
import { newWorld } from '../test/support/servers/worlds.ts'
import { tell } from './outcome.ts'
import { underLoad } from './under-load.ts'
import { newInstallation } from './worlds.ts'

const TIMES = 3
const SHARED = 'PostgreSQL and S3'
const EMBEDDED = 'SQLite and a folder'

const postgres = useOwnPostgres()
const s3 = useS3()
const shared = async (more: Record<string, string>) =>
  await newInstallation({
    ...(await newWorld(postgres, s3)),
    DATABASE_WAIT: '1s',
    DATABASE_TIMEOUT: '2s',
    IMAGES_TIMEOUT: '2s',
    ...more,
  })

/** The server and every process that it started. */
function signalPostgres(signal: NodeJS.Signals): void {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
  const all = lines.map((line) => line.trim().split(/\s+/).map(Number) as [number, number])
  const children = all.filter(([, parent]) => parent === postgres.pid).map(([pid]) => pid)
  for (const pid of [postgres.pid, ...children]) {
    try {
      process.kill(pid, signal)
    } catch {
      // The process has just ended.
    }
  }
}

test('PostgreSQL is killed and started again', async ({ task }) => {
  const outcome = await underLoad(shared, TIMES, async () => {
    await postgres.end('SIGKILL')
    await sleep(2_000)
    await postgres.start()
  })
  tell(task, { world: SHARED, ...outcome })
})

test('PostgreSQL stands still for 6 s', async ({ task }) => {
  const outcome = await underLoad(shared, TIMES, async () => {
    signalPostgres('SIGSTOP')
    await sleep(6_000)
    signalPostgres('SIGCONT')
  })
  tell(task, { world: SHARED, ...outcome })
})

test('S3 refuses every connection for 5 s', async ({ task }) => {
  const outcome = await underLoad(shared, TIMES, async () => {
    s3.interfere = (request) => {
      request.socket.destroy()
      return true
    }
    await sleep(5_000)
    s3.interfere = undefined
  })
  tell(task, { world: SHARED, ...outcome })
})

test('S3 takes requests and never answers for 5 s', async ({ task }) => {
  const outcome = await underLoad(shared, TIMES, async () => {
    s3.interfere = () => true
    await sleep(5_000)
    s3.interfere = undefined
  })
  tell(task, { world: SHARED, ...outcome })
})

test('the disk is full for 5 s', async ({ task, skip }) => {
  const disk = await makeFolder()
  if (!mountSmall(disk, 32)) skip('this user may not mount a small file system')
  onTestFinished(() => void execFileSync('umount', ['-l', disk]))
  const ballast = join(disk, 'ballast')
  const onSmallDisk = (more: Record<string, string>) =>
    newInstallation({ DATA_DIR: join(disk, 'data'), ...more })
  const outcome = await underLoad(onSmallDisk, TIMES, async () => {
    const { bavail, bsize } = await statfs(disk)
    // The service writes meanwhile, so fill what is left.
    await writeFile(ballast, Buffer.alloc(bavail * bsize)).catch(() => {})
    await sleep(5_000)
    await rm(ballast)
  })
  tell(task, { world: EMBEDDED, ...outcome })
})
