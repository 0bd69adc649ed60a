import { Command } from 'commander'
import { showRequest } from '../../capture/kept-request.ts'
import { getTemplateId, listAll, noSuch, orNoSuch } from '../choose-by-name.ts'
import { confirm } from '../confirm.ts'
import { projectOption } from '../project-option.ts'
import type { ExitCode } from '../signals.ts'
import { getProjectId, withStorage } from '../storage.ts'
import { formatTable, formatTime, printable } from '../table.ts'
import { createCommand } from './create.ts'
import { runCommand } from './run.ts'

export function templateCommand(finish: (code: ExitCode) => void): Command {
  const template = new Command('template').description('Keep requests as templates, and run them.')
  const add = (command: Command) =>
    template.addCommand(command.addOption(projectOption('the project it belongs to')))
  add(new Command('list').description('List the templates of a project, newest first.').action(listTemplates))
  add(
    new Command('show')
      .description('Print a template as JSON. Secrets are empty strings.')
      .argument('<template>', 'its id or its name')
      .action(showTemplate),
  )
  add(createCommand())
  add(runCommand(finish))
  add(
    new Command('remove')
      .description('Remove a template, with its secrets. Its screenshots stay.')
      .argument('<template>', 'its id or its name')
      .option('--yes', 'remove it without asking')
      .action(removeTemplate),
  )
  return template
}

interface Given {
  readonly project?: string
}

async function listTemplates({ project }: Given): Promise<void> {
  await withStorage(async (storage) => {
    const { store } = storage
    const projectId = await getProjectId(storage, project)
    const all = await listAll(store, projectId)
    if (all.length === 0) {
      process.stderr.write(
        'There are no templates yet. Create one with: npx proofsheet template create --name "Nightly" https://example.com/\n',
      )
      return
    }
    const rows: string[][] = []
    for (const { templateId, name } of all) {
      const found = await store.templates.find({ projectId, templateId })
      if (!found) continue
      const { changed, lastRoot } = found
      const last = lastRoot === undefined ? undefined : await store.findRoot(projectId, lastRoot)
      const run = last ? formatTime(last.created) : '-'
      rows.push([templateId, formatTime(changed), run, printable(name)])
    }
    process.stdout.write(`${formatTable(['TEMPLATE', 'CHANGED (UTC)', 'LAST RUN (UTC)', 'NAME'], rows)}\n`)
  })
}

async function showTemplate(meant: string, { project }: Given): Promise<void> {
  const shown = await withStorage(async (storage) => {
    const projectId = await getProjectId(storage, project)
    const templateId = await getTemplateId(storage.store, projectId, meant)
    const found = await storage.store.templates.find({ projectId, templateId })
    if (!found) throw noSuch('template', meant)
    const { name, created, changed } = found
    return { templateId, name, ...showRequest(found), created, changed }
  })
  process.stdout.write(`${JSON.stringify(shown, undefined, 2)}\n`)
}

async function removeTemplate(meant: string, { project, yes }: Given & { yes?: true }): Promise<void> {
  const templateId = await withStorage(async (storage) => {
    const { templates } = storage.store
    const projectId = await getProjectId(storage, project)
    const key = { projectId, templateId: await getTemplateId(storage.store, projectId, meant) }
    const found = await templates.find(key)
    if (!found) throw noSuch('template', meant)
    if (!yes) await confirm(`template ${key.templateId}, with its secrets`, found.name)
    await templates.remove(key).catch(orNoSuch('template', meant))
    return key.templateId
  })
  process.stderr.write(`Template ${templateId} is removed. Its screenshots stay.\n`)
}
