import { Option } from 'commander'
import { parseId } from '../contract/ids.ts'
import { AppError } from '../errors.ts'
import { printable } from './table.ts'

/** For commands that work on one project. */
export function projectOption(what: string): Option {
  return new Option('--project <id or name>', `${what}; not needed if there is only one`)
}

interface NamedProject {
  readonly projectId: string
  readonly name: string
}

const SHOWN = 10

/**
 * Finds a project by its id, by its name, or as the only one. An id is returned without a check: the caller must look it up.
 * Throws `bad_request` if it is not clear which project is meant.
 */
export function chooseProject(projects: readonly NamedProject[], meant: string | undefined): string {
  const id = meant === undefined ? undefined : parseId(meant)
  if (id !== undefined) return id
  const fitting = meant === undefined ? projects : projects.filter(({ name }) => name === meant)
  const [first, second] = fitting
  if (first && !second) return first.projectId
  if (projects.length === 0) {
    throw new AppError(
      'bad_request',
      'there is no project yet. Create one with: npx proofsheet project create --name "My site"',
    )
  }
  const words =
    meant === undefined
      ? 'there are several projects. Choose one with --project <id or name>'
      : first
        ? `several projects are called ${printable(meant)}. Choose one by its id`
        : `no project has the id or the name ${printable(meant)}. The projects are`
  throw new AppError('bad_request', `${words}\n${listProjects(first ? fitting : projects)}`)
}

function listProjects(projects: readonly NamedProject[]): string {
  const lines = projects.slice(0, SHOWN).map(({ projectId, name }) => `  ${projectId}  ${printable(name)}`)
  if (projects.length > SHOWN) lines.push('  … npx proofsheet project list shows all of them')
  return lines.join('\n')
}
