import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished, test } from 'vitest'
import { promote, startPostgres, waitForStandby } from '../test/support/servers/postgres.ts'
import { startProxy } from '../test/support/servers/tcp-proxy.ts'
import { useOwnPostgres, useS3 } from '../test/support/servers/use-servers.ts'
import { newWorld } from '../test/support/servers/worlds.ts'
import { tell } from './outcome.ts'
import { underLoad, untilReadiness } from './under-load.ts'
import { newInstallation } from './worlds.ts'

const LASTS_MS = 5_000

const primary = useOwnPostgres()
const s3 = useS3()

test('PostgreSQL is killed, its standby can be read for 5 s, and is promoted', async ({ task }) => {
  const standby = await startPostgres({ flags: ['fsync=off'], standbyOf: primary })
  onTestFinished(() => standby.close())
  await waitForStandby(primary)
  // As a name or an address does that is moved to the other server.
  const proxy = await startProxy(primary.port)
  onTestFinished(() => proxy.close())
  const throughProxy = async (more: Record<string, string>) => {
    const world = await newWorld(primary, s3)
    const url = new URL(world.DATABASE_URL)
    url.port = String(proxy.port)
    const limits = { DATABASE_WAIT: '1s', DATABASE_TIMEOUT: '2s' }
    return await newInstallation({ ...world, DATABASE_URL: url.href, ...limits, ...more })
  }
  const outcome = await underLoad(throughProxy, 1, async (load) => {
    await sleep(LASTS_MS)
    await primary.end('SIGKILL')
    proxy.target = standby.port
    await untilReadiness(load, 'read_only')
    await sleep(LASTS_MS)
    await promote(standby)
    await untilReadiness(load, 'ok')
    await sleep(LASTS_MS)
  })
  tell(task, { world: 'PostgreSQL with a synchronous standby, and S3', ...outcome })
})
