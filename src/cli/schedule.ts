import { Command, Option } from 'commander'
import type { Mistake } from '../contract/check.ts'
import { OVERLAPS } from '../contract/schedules.ts'
import type { Capturing } from '../service/capturing.ts'
import type { StoredSchedule, Times } from '../store/schedules.ts'
import { withIdleCapturing } from './capture/here.ts'
import { addRequestOptions, type Given, textOption } from './capture/options.ts'
import { type Order, toOrder } from './capture/orders.ts'
import { defineOwned, telling, tellLastRun } from './owned.ts'
import { formatTime, print, printable, say, wrong } from './say.ts'
import { withProject } from './storage.ts'
import { TEMPLATE } from './template.ts'

type Schedules = Capturing['schedules']

const SCHEDULE = defineOwned({
  word: 'schedule',
  rows: ({ schedules }) => schedules,
  order: 'oldest first',
  example: '--every 6h https://example.com/',
  header: ['NEXT', 'WHEN', 'LAST RUN (UTC)', 'NAME'],
  cells: async (each, opened) => [
    nextOf(each),
    tellTimes(each),
    await tellLastRun(each.lastRoot, opened),
    printable(each.name),
  ],
  trouble: ({ problem }) =>
    problem && `created no root at ${formatTime(problem.at)} UTC: ${printable(problem.detail)}`,
  show: {
    description: 'Print a schedule as JSON, and its next times. Secrets are empty strings.',
    run: (found, opened) =>
      withIdleCapturing(opened, async ({ schedules }) => {
        const shown = await schedules.show(found)
        print(JSON.stringify(shown, undefined, 2))
        say(found.paused ? 'It is paused.' : tellNext(shown.next, zoneOf(found)))
      }),
  },
  parts: 'its secrets',
  afterRemoval: 'Its screenshots stay.',
})

export function scheduleCommand(): Command {
  const create = new Command('create')
    .description('Capture pages, or run a template, again and again. Prints the id of the schedule.')
    .argument('[urls...]', 'addresses of pages; - reads them from the input')
    .addOption(textOption('--template <id or name>', 'instead of addresses: run this template'))
    .addOption(textOption('--from <file>', 'read addresses or one request from a file; - is the input'))
    .addOption(
      textOption('--cron <expression>', 'when: minute, hour, day of the month, month, day of the week'),
    )
    .addOption(textOption('--zone <zone>', 'the time zone of --cron, such as Europe/Berlin (default: UTC)'))
    .addOption(textOption('--every <time>', 'instead of --cron: such as 15m, 6h or 7d, from now on'))
    .addOption(
      new Option(
        '--overlap <choice>',
        'if the previous root is unfinished when the next one is due: skip that time, or run anyway',
      )
        .choices(OVERLAPS)
        .default('skip'),
    )
    .addOption(textOption('--name <text>', 'default: the name of the template, or of the first page'))
  addRequestOptions(create).addHelpText('after', ABOUT_CREATING).action(createSchedule)
  return SCHEDULE.command('Capture the same pages again and again.', [
    create,
    act(
      'run',
      'Run a schedule now; its regular times are unaffected. Prints the id of the root.',
      async (found, schedules) => {
        print(await schedules.run(found))
      },
    ),
    act('pause', 'Pause a schedule. Times that pass while it is paused are not made up for.', pause),
    act('resume', 'Let a paused schedule run again.', resume),
  ]).addHelpText('after', EXPLANATION)
}

const EXPLANATION = `
  npx proofsheet schedule create --cron "0 2 * * *" --zone Europe/Berlin https://example.com/
  npx proofsheet schedule create --every 6h --template Nightly

A service (\`proofsheet serve\`) or a worker (\`proofsheet work\`) on the same storage runs them. Each time is run
once, by the first process that sees it. Times that are missed while no process runs are made up for by one run.`

const ABOUT_CREATING = `
  npx proofsheet schedule create --cron "0 2 * * *" --zone Europe/Berlin https://example.com/    every night at two
  npx proofsheet schedule create --cron "30 8 * * MON-FRI" --template "With a login"
  npx proofsheet schedule create --every 6h --full-page --from addresses.txt

The other options and the file are those of \`proofsheet capture\`; --timezone is that of the visitor. A change to
daylight saving time neither skips a run nor repeats one.`

interface CreateGiven extends Given {
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
  { template, cron, zone, every, overlap, name, project, ...given }: CreateGiven,
): Promise<void> {
  if (cron === undefined && every === undefined)
    throw wrong('the schedule needs a time: give --cron "0 2 * * *", or --every 6h')
  const order = template === undefined ? await toOrder('a schedule', urls, given) : undefined
  if (!order && (urls.length > 0 || Object.keys(given).length > 0)) {
    throw wrong('--template already has pages and options: give no others, or leave --template out')
  }
  await withProject({ project }, async (opened) => {
    const found = template === undefined ? undefined : await TEMPLATE.get(opened, template)
    const body = {
      ...(order && { name: nameOf(order), request: order.request }),
      ...(found && { name: found.name, templateId: found.templateId }),
      ...(cron !== undefined && { cron }),
      ...(every !== undefined && { every }),
      overlap,
      ...(zone !== undefined && { timezone: zone }),
      ...(name !== undefined && { name }),
    }
    await withIdleCapturing(opened, async ({ schedules }) => {
      const tell = telling((mistake) => tellOption(mistake, order))
      const made = await schedules.create(opened.projectId, body).catch(tell)
      const { next } = await schedules.show(made)
      print(made.scheduleId)
      say(`Schedule "${printable(made.name)}" is ready. ${tellNext(next, zoneOf(made))}`)
    })
  })
}

/** The request has not been checked yet. */
function nameOf({ request }: Order): string {
  const [first] = Array.isArray(request?.urls) ? request.urls : []
  return String(first?.name || first?.url || 'Untitled').slice(0, 200)
}

const OPTION_OF: Readonly<Record<string, string>> = { timezone: '--zone', templateId: '--template' }

function tellOption({ pointer, detail }: Mistake, order: Order | undefined): string {
  const [, field = '', inside = ''] = /^#\/(\w+)(.*)$/.exec(pointer) ?? []
  if (field === 'request' && order) return order.tell({ pointer: `#${inside}`, detail })
  return `${OPTION_OF[field] ?? `--${field}`} ${detail}`
}

function act(
  name: string,
  description: string,
  work: (found: StoredSchedule, schedules: Schedules) => Promise<void>,
): Command {
  return SCHEDULE.act(name, description, (found, opened) =>
    withIdleCapturing(opened, ({ schedules }) => work(found, schedules)),
  )
}

async function pause(found: StoredSchedule, schedules: Schedules): Promise<void> {
  if (!found.paused) await schedules.setPaused(found, true)
  say(
    `Schedule ${found.scheduleId} is paused. Resume it with: npx proofsheet schedule resume ${found.scheduleId}`,
  )
}

async function resume(found: StoredSchedule, schedules: Schedules): Promise<void> {
  const resumed = found.paused ? await schedules.setPaused(found, false) : found
  const { next } = await schedules.show(resumed)
  say(`Schedule ${found.scheduleId} is not paused. ${tellNext(next, zoneOf(resumed))}`)
}

/** In the time zone of the schedule, which the next column names. */
function nextOf(schedule: StoredSchedule): string {
  if (schedule.paused) return 'paused'
  return schedule.next ? timeIn(zoneOf(schedule), schedule.next.next) : 'never'
}

/** `Tue 2026-11-17 02:00` in this time zone. */
function timeIn(zone: string, time: number): string {
  const format = new Intl.DateTimeFormat('en', {
    ...{ timeZone: zone, weekday: 'short', year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
  })
  const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, value]))
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? ''
  const seconds = part('second') === '00' ? '' : `:${part('second')}`
  return `${part('weekday')} ${part('year')}-${part('month')}-${part('day')} ${part('hour')}:${part('minute')}${seconds}`
}

function zoneOf({ timezone = 'UTC' }: Pick<Times, 'timezone'>): string {
  return timezone
}

/** As people wrote it: `0 2 * * * Europe/Berlin`, or `every 6h`. */
function tellTimes({ cron, timezone, every }: Times): string {
  return cron === undefined ? `every ${every}` : `${cron} ${zoneOf({ timezone })}`
}

function tellNext(next: readonly number[], zone: string): string {
  if (next.length === 0) return 'It has no next time.'
  const lines = next.map((time) => `\n  ${timeIn(zone, time)}`)
  return `Its next times, in the time zone ${zone}:${lines.join('')}`
}
