import { Command, Option } from 'commander'
import { showRequest } from '../../capture/kept-request.ts'
import type { Run, Templates } from '../../capture/templates.ts'
import { AppError } from '../../errors.ts'
import type { Store } from '../../store/store.ts'
import { captureAll, type Wanted } from '../capture/capture-all.ts'
import { captureHere } from '../capture/here.ts'
import { once } from '../capture/options.ts'
import { getTemplateId, noSuch } from '../choose-by-name.ts'
import { withIdleCapturing } from '../idle-capturing.ts'
import type { ExitCode } from '../signals.ts'
import { getProjectId } from '../storage.ts'
import { printable } from '../table.ts'

export function runCommand(finish: (code: ExitCode) => void): Command {
  return new Command('run')
    .description('Request the pages of a template, and print the id of the root.')
    .argument('<template>', 'its id or its name')
    .option('--wait', 'capture here and show the progress, as `capture` does')
    .addOption(
      new Option('--out <folder>', 'with --wait: also save the pictures in this folder').argParser(
        once(String),
      ),
    )
    .option('--json', 'with --wait: print the result for programs')
    .addHelpText('after', EXPLANATION)
    .action(async (meant: string, given: Given) => finish(await runTemplate(meant, given)))
}

const EXPLANATION = `
Without --wait, the pages wait for a service (\`proofsheet serve\`) or a worker (\`proofsheet work\`) on the same storage.

Exit code: 0 requested (with --wait: all pages are captured), 1 failed, 2 a mistake in the command.`

interface Given extends Wanted {
  readonly project?: string
  readonly wait?: true
}

const AS_IT_IS: Run = { urls: undefined, when: undefined }

async function runTemplate(meant: string, { project, wait, out, json }: Given): Promise<ExitCode> {
  if (!wait) {
    if (out !== undefined || json) throw new AppError('bad_request', '--out and --json need --wait')
    const rootId = await withIdleCapturing(async ({ storage, capturing }) => {
      const projectId = await getProjectId(storage, project)
      return await run({ store: storage.store, templates: capturing.templates }, projectId, meant)
    })
    process.stdout.write(`${rootId}\n`)
    return 0
  }
  return await captureHere(project, async (desk, _limits, { storage, capturing }) => {
    const { projectId } = desk
    const templateId = await getTemplateId(storage.store, projectId, meant)
    const found = await storage.store.templates.find({ projectId, templateId })
    if (!found) throw noSuch('template', meant)
    const order = { request: showRequest(found), tell: ({ detail }: { detail: string }) => detail }
    const submit = async () => {
      await capturing.ready()
      return await run({ store: storage.store, templates: capturing.templates }, projectId, templateId)
    }
    const wanted = { ...(out !== undefined && { out }), ...(json && { json }) }
    return await captureAll({ ...desk, submit }, [order], wanted)
  })
}

async function run(
  { store, templates }: { store: Store; templates: Templates },
  projectId: string,
  meant: string,
): Promise<string> {
  const templateId = await getTemplateId(store, projectId, meant)
  const options = { now: Date.now(), idempotencyKey: undefined }
  return await templates.run({ projectId, templateId }, AS_IT_IS, options).catch((error) => {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'not_found') throw noSuch('template', meant)
    if (error.mistakes.length === 0) throw error
    const told = error.mistakes.map((each) => `${'pointer' in each ? each.pointer : ''} ${each.detail}`)
    throw new AppError(
      'bad_request',
      `the template no longer fits the settings: ${told.map(printable).join('; ')}`,
    )
  })
}
