import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { runProofsheet } from '../test/support/process.ts'
import { BROWSER_ENV } from '../test/support/test-browser.ts'
import { usePostgres, useS3 } from '../test/support/use-servers.ts'
import { makeFolder } from '../test/support/workspace.ts'
import { bothWorlds } from '../test/support/worlds.ts'

/** Where a service keeps what it has, with one project. */
export interface Place {
  readonly env: Record<string, string>
  readonly projectId: string
}

/** An empty place, with one project. */
export async function newPlace(more: Record<string, string>): Promise<Place> {
  const env = { ...BROWSER_ENV, DATA_DIR: join(await makeFolder(), 'data'), ...more }
  const projectId = randomUUID()
  const { code, stderr } = await runProofsheet(['project', 'create', '--id', projectId], env)
  if (code !== 0) throw new Error(stderr)
  return { env, projectId }
}

/** Both worlds, by name; each call of the function makes an empty place. */
export function usePlaces(): [string, (more?: Record<string, string>) => Promise<Place>][] {
  return bothWorlds(usePostgres(), useS3()).map(([name, newWorld]) => [
    name,
    async (more = {}) => await newPlace({ ...(await newWorld()), ...more }),
  ])
}
