import { Command } from 'commander'
import { showRequest } from '../capture/kept-request.ts'
import type { Templates } from '../capture/templates.ts'
import type { Mistake } from '../contract/check.ts'
import { parseTemplateRequest } from '../contract/templates.ts'
import type { TemplateKey } from '../store/templates.ts'
import { captureAll, type Wanted } from './capture/capture-all.ts'
import { captureHere, withIdleCapturing } from './capture/here.ts'
import { addRequestOptions, type Given, textOption } from './capture/options.ts'
import { toOrder } from './capture/orders.ts'
import { defineOwned, telling, tellLastRun } from './owned.ts'
import { formatTime, print, printable, say, wrong } from './say.ts'
import { type ExitCode, exitWith } from './signals.ts'
import { getProjectId, withStorage } from './storage.ts'

export const TEMPLATE = defineOwned({
  word: 'template',
  rows: ({ templates }) => templates,
  order: 'newest first',
  example: '--name "Nightly" https://example.com/',
  header: ['CHANGED (UTC)', 'LAST RUN (UTC)', 'NAME'],
  async cells({ templateId, name }, opened) {
    const { storage, projectId } = opened
    const found = await storage.store.templates.find({ projectId, templateId })
    return found && [formatTime(found.changed), await tellLastRun(found.lastRoot, opened), printable(name)]
  },
  show: {
    description: 'Print a template as JSON. Secrets are empty strings.',
    async run(found) {
      const { templateId, name, created, changed } = found
      const shown = { templateId, name, ...showRequest(found), created, changed }
      print(JSON.stringify(shown, undefined, 2))
    },
  },
  parts: 'its secrets',
  afterRemoval: 'Its screenshots stay.',
})

export function templateCommand(): Command {
  const create = new Command('create')
    .description('Keep a request as a template, and print the id of the template.')
    .argument('[urls...]', 'addresses of pages; - reads them from the input')
    .addOption(textOption('--name <text>', 'the name of the template'))
    .option(
      '--other-pages',
      'runs may name other pages of the same origins, even if the template has secrets',
    )
    .addOption(textOption('--from <file>', 'read addresses or one request from a file; - is the input'))
  addRequestOptions(create).addHelpText('after', ABOUT_CREATING).action(createTemplate)
  const run = TEMPLATE.oneCommand('run', 'Request the pages of a template, and print the id of the root.')
    .option('--wait', 'capture here and show the progress, as `capture` does')
    .addOption(textOption('--out <folder>', 'with --wait: also save the pictures in this folder'))
    .option('--json', 'with --wait: print the result for programs')
    .addHelpText('after', ABOUT_RUNNING)
    .action(exitWith(runTemplate))
  return TEMPLATE.command('Keep requests as templates, and run them.', [create, run])
}

const ABOUT_CREATING = `
  npx proofsheet template create --name Nightly --full-page https://example.com/ https://example.com/pricing
  npx proofsheet template create --name "With a login" --from request.json

The options and the file are those of \`proofsheet capture\`. A JSON file may also contain the name: the output of
\`template show\` can be edited and used as the file. It contains no secrets, so add them again. Secrets are stored
encrypted.`

interface CreateGiven extends Given {
  readonly name?: string
  readonly otherPages?: true
  readonly from?: string
  readonly project?: string
}

async function createTemplate(
  urls: readonly string[],
  { name, otherPages, project, ...given }: CreateGiven,
): Promise<void> {
  const order = await toOrder('a template', urls, given)
  const body: Record<string, unknown> = {
    ...order.request,
    ...(name !== undefined && { name }),
    ...(otherPages && { otherPages }),
  }
  // Fields that `template show` prints in addition to the request.
  for (const field of ['templateId', 'created', 'changed', 'last']) delete body[field]
  if (!('name' in body)) throw wrong('the template needs a name: --name "Nightly"')
  const template = await withStorage(async (storage, config) => {
    const { mistakes } = parseTemplateRequest(body, config.limits)
    if (mistakes) throw wrong(mistakes.map((each) => printable(order.tell(each))).join('\n'))
    const projectId = await getProjectId(storage, project)
    return await withIdleCapturing({ storage, config }, ({ templates }) => templates.create(projectId, body))
  })
  print(template.templateId)
  say(
    `Template "${printable(template.name)}" is ready. Run it with:\n  npx proofsheet template run ${template.templateId}`,
  )
}

const ABOUT_RUNNING = `
Without --wait, the pages wait for a service (\`proofsheet serve\`) or a worker (\`proofsheet work\`) on the same storage.

Exit code: 0 requested (with --wait: all pages are captured), 1 failed, 2 a mistake in the command.`

type RunGiven = Wanted & { readonly project?: string; readonly wait?: true }

async function runTemplate(meant: string, { project, wait, ...wanted }: RunGiven): Promise<ExitCode> {
  if (!wait) {
    if (wanted.out !== undefined || wanted.json) throw wrong('--out and --json need --wait')
    const rootId = await TEMPLATE.withOne(meant, { project }, (found, opened) =>
      withIdleCapturing(opened, ({ templates }) => run(templates, found)),
    )
    print(rootId)
    return 0
  }
  return await captureHere(project, async (desk, opened) => {
    const found = await TEMPLATE.get(opened, meant)
    const { capturing } = opened
    const submit = async () => {
      await capturing.ready()
      return await run(capturing.templates, found).catch(TEMPLATE.orNoSuch(meant))
    }
    const order = { request: showRequest(found), tell: ({ detail }: { detail: string }) => detail }
    return await captureAll({ ...desk, submit }, [order], wanted)
  })
}

async function run(templates: Templates, key: TemplateKey): Promise<string> {
  const asItIs = { urls: undefined, when: undefined }
  const tell = ({ pointer, detail }: Mistake) =>
    `the template no longer fits the settings: ${pointer} ${detail}`
  return await templates.run(key, asItIs).catch(telling(tell))
}
