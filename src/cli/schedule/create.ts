import { Command, Option } from 'commander'
import type { Mistake } from '../../contract/check.ts'
import { OVERLAPS } from '../../contract/schedules.ts'
import { AppError } from '../../errors.ts'
import { addRequestOptions, type Given, once } from '../capture/options.ts'
import { type Order, toOrders } from '../capture/orders.ts'
import { getTemplateId, noSuch } from '../choose-by-name.ts'
import { type IdleCapturing, withIdleCapturing } from '../idle-capturing.ts'
import { getProjectId } from '../storage.ts'
import { printable } from '../table.ts'
import { tellNext, zoneOf } from './times.ts'

export function createCommand(): Command {
  const text = (flags: string, help: string) => new Option(flags, help).argParser(once(String))
  const command = new Command('create')
    .description('Capture pages, or run a template, again and again. Prints the id of the schedule.')
    .argument('[urls...]', 'addresses of pages; - reads them from the input')
    .addOption(text('--template <id or name>', 'instead of addresses: run this template'))
    .addOption(text('--from <file>', 'read addresses or one request from a file; - is the input'))
    .addOption(text('--cron <expression>', 'when: minute, hour, day of the month, month, day of the week'))
    .addOption(text('--zone <zone>', 'the time zone of --cron, such as Europe/Berlin (default: UTC)'))
    .addOption(text('--every <time>', 'instead of --cron: such as 15m, 6h or 7d, from now on'))
    .addOption(
      new Option(
        '--overlap <choice>',
        'if the previous root is unfinished when the next one is due: skip that time, or run anyway',
      )
        .choices(OVERLAPS)
        .default('skip'),
    )
    .addOption(text('--name <text>', 'default: the name of the template, or of the first page'))
  return addRequestOptions(command).addHelpText('after', EXPLANATION).action(createSchedule)
}

const EXPLANATION = `
  npx proofsheet schedule create --cron "0 2 * * *" --zone Europe/Berlin https://example.com/    every night at two
  npx proofsheet schedule create --cron "30 8 * * MON-FRI" --template "With a login"
  npx proofsheet schedule create --every 6h --full-page --from addresses.txt

The other options and the file are those of \`proofsheet capture\`; --timezone is that of the visitor. A change to
daylight saving time neither skips a run nor repeats one.`

interface AllGiven extends Given {
  readonly template?: string
  readonly from?: string
  readonly cron?: string
  readonly zone?: string
  readonly every?: string
  readonly overlap: string
  readonly name?: string
  readonly project?: string
}

async function createSchedule(
  urls: readonly string[],
  { template, cron, zone, every, overlap, name, project, ...given }: AllGiven,
): Promise<void> {
  if (cron === undefined && every === undefined)
    throw new AppError('bad_request', 'the schedule needs a time: give --cron "0 2 * * *", or --every 6h')
  const order = template === undefined ? await getOrder(urls, given) : undefined
  if (!order && (urls.length > 0 || Object.keys(given).length > 0)) {
    throw new AppError(
      'bad_request',
      '--template already has pages and options: give no others, or leave --template out',
    )
  }
  const times = { ...(cron !== undefined && { cron }), ...(every !== undefined && { every }) }
  await withIdleCapturing(async (opened) => {
    const { schedules } = opened.capturing
    const projectId = await getProjectId(opened.storage, project)
    const what = order
      ? { name: nameOf(order), request: order.request }
      : await findTemplate(template ?? '', projectId, opened)
    const body = {
      ...{ ...what, ...times, overlap },
      ...(zone !== undefined && { timezone: zone }),
      ...(name !== undefined && { name }),
    }
    const made = await schedules.create(projectId, body).catch((error) => {
      if (!(error instanceof AppError) || error.mistakes.length === 0) throw error
      const told = error.mistakes.map((each) => printable(tell(each as Mistake, order)))
      throw new AppError('bad_request', told.join('\n'))
    })
    const { next } = await schedules.show(made)
    process.stdout.write(`${made.scheduleId}\n`)
    process.stderr.write(`Schedule "${printable(made.name)}" is ready. ${tellNext(next, zoneOf(made))}`)
  })
}

async function getOrder(urls: readonly string[], given: Given & { readonly from?: string }): Promise<Order> {
  const [order, ...others] = await toOrders(urls, given)
  if (order && others.length === 0) return order
  throw new AppError('bad_request', 'a schedule has exactly one request')
}

async function findTemplate(meant: string, projectId: string, { storage: { store } }: IdleCapturing) {
  const templateId = await getTemplateId(store, projectId, meant)
  const found = await store.templates.find({ projectId, templateId })
  if (!found) throw noSuch('template', meant)
  return { name: found.name, templateId }
}

/** The request has not been checked yet. */
function nameOf({ request }: Order): string {
  const [first] = Array.isArray(request?.urls) ? request.urls : []
  return String(first?.name || first?.url || 'Untitled').slice(0, 200)
}

const OPTION_OF: Readonly<Record<string, string>> = { timezone: '--zone', templateId: '--template' }

/** A mistake names its option. */
function tell({ pointer, detail }: Mistake, order: Order | undefined): string {
  const [, field = '', inside = ''] = /^#\/(\w+)(.*)$/.exec(pointer) ?? []
  if (field === 'request' && order) return order.tell({ pointer: `#${inside}`, detail })
  return `${OPTION_OF[field] ?? `--${field}`} ${detail}`
}
