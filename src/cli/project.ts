import { randomUUID } from 'node:crypto'
import { Command } from 'commander'
import { removeProject as removeAll } from '../upkeep/remove.ts'
import { idOption } from './options.ts'
import { confirm, formatTime, print, printable, printTable, say } from './say.ts'
import { getProjectId, withStorage } from './storage.ts'

export function projectCommand(): Command {
  const project = new Command('project').description('Create, list, rename and remove projects.')
  project
    .command('create')
    .description('Create a project and print its id.')
    .option('--id <uuid>', 'use this id instead of a new one', idOption)
    .option('--name <text>', 'the name of the project', 'Untitled')
    .action(createProject)
  project
    .command('rename')
    .description('Rename a project.')
    .argument('<id or name>', 'the project')
    .argument('<new name>')
    .action(renameProject)
  project
    .command('remove')
    .description('Remove a project with all its pictures and keys. This cannot be undone.')
    .argument('<id or name>', 'the project')
    .option('--yes', 'remove it without asking')
    .action(removeProject)
  project.command('list').description('List the projects, oldest first.').action(listProjects)
  return project
}

async function createProject({ id = randomUUID(), name }: { id?: string; name: string }): Promise<void> {
  await withStorage(async ({ store }) => {
    await store.createProject({ projectId: id, name, created: Date.now() })
  })
  print(id)
  say(
    `Project "${printable(name)}" is ready. Add pictures to it:\n` +
      `  npx proofsheet capture --project ${id} <address of a page>\n` +
      `  npx proofsheet import --project ${id} <folder of pictures>`,
  )
}

async function listProjects(): Promise<void> {
  const projects = await withStorage(({ store }) => store.countProjects())
  const rows = projects.map(({ projectId, created, roots, jobs, name }) => {
    return [projectId, formatTime(created), String(roots), String(jobs), printable(name)]
  })
  printTable(
    ['PROJECT', 'CREATED (UTC)', 'ROOTS', 'PICTURES', 'NAME'],
    rows,
    'There are no projects yet. Create one with: npx proofsheet project create --name "My site"',
  )
}

async function renameProject(meant: string, name: string): Promise<void> {
  await withStorage(async (storage) => {
    const projectId = await getProjectId(storage, meant)
    await storage.store.renameProject(projectId, name)
    say(`Project ${projectId} is now called "${printable(name)}".`)
  })
}

async function removeProject(meant: string, { yes = false }: { yes?: boolean }): Promise<void> {
  await withStorage(async (storage) => {
    const projectId = await getProjectId(storage, meant)
    const project = await storage.store.findProject(projectId)
    if (!project) return
    if (!yes) await confirm(`project ${projectId} with all its pictures and keys`, project.name || projectId)
    await removeAll(storage, projectId, Date.now())
    say(`Project ${projectId} is removed, with its pictures and its keys.`)
  })
}
