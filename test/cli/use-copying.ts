import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { openStorage } from '../../src/service/storage.ts'
import { runProofsheet } from '../support/processes/process.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { S3_CREDENTIALS } from '../support/servers/s3.ts'
import { usePostgres, useS3 } from '../support/servers/use-servers.ts'
import { newWorld } from '../support/servers/worlds.ts'

/** Servers to copy to, for a file of tests. */
export function useCopying() {
  const postgres = usePostgres()
  const s3 = useS3()

  /** An embedded store, a world to copy it to, and the command that copies. */
  async function start() {
    const embedded = { DATA_DIR: join(await makeFolder(), 'data') }
    const world = await newWorld(postgres, s3)
    const args = ['copy', '--to-database', world.DATABASE_URL, '--to-images', world.IMAGES_URL]
    const env = { ...embedded, ...S3_CREDENTIALS }
    return { embedded, world, args, env, copy: (...more: string[]) => runProofsheet([...args, ...more], env) }
  }

  return { s3, start }
}

/** The storage itself, closed when the test is over. */
export async function open(env: Record<string, string>) {
  const storage = await openStorage(readConfig(env))
  let open = true
  const close = async () => {
    if (open) await storage.close()
    open = false
  }
  onTestFinished(close)
  return { ...storage, close }
}
