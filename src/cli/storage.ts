import { type Config, type Purpose, readConfig } from '../config/config.ts'
import { AppError } from '../errors.ts'
import { openStorage, type Storage } from '../service/storage.ts'
import { chooseProject } from './project-option.ts'

/** Opens the configured storage for one command and always closes it. */
export async function withStorage<T>(
  work: (storage: Storage, config: Config) => Promise<T>,
  purpose: Purpose = {},
): Promise<T> {
  const config = readConfig(undefined, { serving: false, ...purpose })
  const storage = await openStorage(config)
  try {
    return await work(storage, config)
  } finally {
    await storage.close()
  }
}

/** Finds the project of an option. Throws `not_found` or `bad_request`, with what to do about it. */
export async function getProjectId({ store }: Storage, meant: string | undefined): Promise<string> {
  const projectId = chooseProject(await store.listProjects(), meant)
  if (await store.findProject(projectId)) return projectId
  throw new AppError(
    'not_found',
    `there is no project ${projectId}. Create it with: npx proofsheet project create --id ${projectId}`,
  )
}
