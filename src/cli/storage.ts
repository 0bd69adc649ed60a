import { Option } from 'commander'
import { type Config, type Purpose, readConfig } from '../config/config.ts'
import type { Project } from '../contract/browsing.ts'
import { parseId } from '../contract/ids.ts'
import { AppError } from '../errors.ts'
import { openStorage, type Storage } from '../service/storage.ts'
import { printable, wrong } from './say.ts'

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

export function projectOption(what: string): Option {
  return new Option('--project <id or name>', `${what}; not needed if there is only one`)
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

/** The configured storage, and one of its projects. */
export interface Opened {
  readonly storage: Storage
  readonly config: Config
  readonly projectId: string
}

export interface Given {
  readonly project?: string | undefined
}

export async function withProject<T>(
  { project }: Given,
  work: (opened: Opened) => Promise<T>,
  purpose?: Purpose,
): Promise<T> {
  return await withStorage(
    async (storage, config) =>
      await work({ storage, config, projectId: await getProjectId(storage, project) }),
    purpose,
  )
}

type NamedProject = Pick<Project, 'projectId' | 'name'>

const SHOWN = 10

/** By its id, its name, or as the only one. An id is not looked up. Throws `bad_request` if none or several fit. */
export function chooseProject(projects: readonly NamedProject[], meant: string | undefined): string {
  const id = meant === undefined ? undefined : parseId(meant)
  if (id !== undefined) return id
  const fitting = meant === undefined ? projects : projects.filter(({ name }) => name === meant)
  const [first, second] = fitting
  if (first && !second) return first.projectId
  if (projects.length === 0) {
    throw wrong('there is no project yet. Create one with: npx proofsheet project create --name "My site"')
  }
  const words =
    meant === undefined
      ? 'there are several projects. Choose one with --project <id or name>'
      : first
        ? `several projects are called ${printable(meant)}. Choose one by its id`
        : `no project has the id or the name ${printable(meant)}. The projects are`
  throw wrong(`${words}\n${listProjects(first ? fitting : projects)}`)
}

function listProjects(projects: readonly NamedProject[]): string {
  const lines = projects.slice(0, SHOWN).map(({ projectId, name }) => `  ${projectId}  ${printable(name)}`)
  if (projects.length > SHOWN) lines.push('  … npx proofsheet project list shows all of them')
  return lines.join('\n')
}
