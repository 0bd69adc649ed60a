import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { BROWSER_ENV } from '../test/support/browser/test-browser.ts'
import { COMMAND, start } from '../test/support/processes/process.ts'
import { makeFolder } from '../test/support/processes/workspace.ts'
import { usePostgres, useS3 } from '../test/support/servers/use-servers.ts'
import { bothWorlds } from '../test/support/servers/worlds.ts'

/** The settings of a service, and its project. */
export interface Installation {
  readonly env: Record<string, string>
  readonly projectId: string
  /** A program that starts its services. */
  readonly wrapper?: readonly string[]
}

/** Makes an empty installation with one project. `command` is the program that makes it, if not this one. */
export async function newInstallation(
  more: Record<string, string>,
  command = COMMAND,
): Promise<Installation> {
  const env = { ...BROWSER_ENV, DATA_DIR: join(await makeFolder(), 'data'), ...more }
  const projectId = randomUUID()
  const making = start(process.execPath, [command, 'project', 'create', '--id', projectId], { env })
  if ((await making.ended).code !== 0) throw new Error(making.stderr())
  return { env, projectId }
}

/** Both worlds by name. Each call of a function makes an empty installation. */
export function useInstallations(): [string, typeof newInstallation][] {
  const postgres = usePostgres()
  // Another version may be the first to open it.
  const newDatabase = () => postgres.newEmptyDatabase()
  return bothWorlds({ newDatabase }, useS3()).map(([name, newWorld]) => [
    name,
    async (more, command) => await newInstallation({ ...(await newWorld()), ...more }, command),
  ])
}
