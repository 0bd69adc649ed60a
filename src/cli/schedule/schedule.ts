import { Command } from 'commander'
import type { Storage } from '../../service/storage.ts'
import { readAll } from '../../store/owned.ts'
import type { StoredSchedule } from '../../store/schedules.ts'
import { chooseByName, noSuch, orNoSuch } from '../choose-by-name.ts'
import { confirm } from '../confirm.ts'
import { type IdleCapturing, withIdleCapturing } from '../idle-capturing.ts'
import { projectOption } from '../project-option.ts'
import { getProjectId, withStorage } from '../storage.ts'
import { formatTable, formatTime, printable } from '../table.ts'
import { createCommand } from './create.ts'
import { tellNext, tellTimes, timeIn, zoneOf } from './times.ts'

export function scheduleCommand(): Command {
  const schedule = new Command('schedule').description('Capture the same pages again and again.')
  const add = (command: Command) =>
    schedule.addCommand(command.addOption(projectOption('the project it belongs to')))
  const addOne = (name: string, description: string, act: (meant: string, given: Given) => Promise<void>) =>
    add(new Command(name).description(description).argument('<schedule>', 'its id or its name').action(act))
  add(new Command('list').description('List the schedules of a project, oldest first.').action(listSchedules))
  addOne('show', 'Print a schedule as JSON, and its next times. Secrets are empty strings.', showSchedule)
  add(createCommand())
  addOne(
    'run',
    'Run a schedule now; its regular times are unaffected. Prints the id of the root.',
    runSchedule,
  )
  addOne('pause', 'Pause a schedule. Times that pass while it is paused are not made up for.', pauseSchedule)
  addOne('resume', 'Let a paused schedule run again.', resumeSchedule)
  add(
    new Command('remove')
      .description('Remove a schedule, with its secrets. Its screenshots stay.')
      .argument('<schedule>', 'its id or its name')
      .option('--yes', 'remove it without asking')
      .action(removeSchedule),
  )
  return schedule.addHelpText('after', EXPLANATION)
}

const EXPLANATION = `
  npx proofsheet schedule create --cron "0 2 * * *" --zone Europe/Berlin https://example.com/
  npx proofsheet schedule create --every 6h --template Nightly

A service (\`proofsheet serve\`) or a worker (\`proofsheet work\`) on the same storage runs them. Each time is run
once, by the first process that sees it. Times that are missed while no process runs are made up for by one run.`

interface Given {
  readonly project?: string
}

async function listSchedules({ project }: Given): Promise<void> {
  await withStorage(async (storage) => {
    const { store } = storage
    const projectId = await getProjectId(storage, project)
    const all = await listAll(storage, projectId)
    if (all.length === 0) {
      process.stderr.write(
        'There are no schedules yet. Create one with: npx proofsheet schedule create --every 6h https://example.com/\n',
      )
      return
    }
    const rows: string[][] = []
    for (const each of all) {
      const last = each.lastRoot === undefined ? undefined : await store.findRoot(projectId, each.lastRoot)
      const run = last ? formatTime(last.created) : '-'
      rows.push([each.scheduleId, nextOf(each), tellTimes(each), run, printable(each.name)])
    }
    process.stdout.write(`${formatTable(['SCHEDULE', 'NEXT', 'WHEN', 'LAST RUN (UTC)', 'NAME'], rows)}\n`)
    for (const { scheduleId, problem } of all) {
      if (!problem) continue
      process.stderr.write(
        `Schedule ${scheduleId} created no root at ${formatTime(problem.at)} UTC: ${printable(problem.detail)}\n`,
      )
    }
  })
}

/** In the time zone of the schedule, which the next column names. */
function nextOf(schedule: StoredSchedule): string {
  if (schedule.paused) return 'paused'
  return schedule.next ? timeIn(zoneOf(schedule), schedule.next.next) : 'never'
}

async function showSchedule(meant: string, given: Given): Promise<void> {
  await withSchedule(meant, given, async (found, { capturing }) => {
    const shown = await capturing.schedules.show(found)
    process.stdout.write(`${JSON.stringify(shown, undefined, 2)}\n`)
    process.stderr.write(found.paused ? 'It is paused.\n' : tellNext(shown.next, zoneOf(found)))
  })
}

async function runSchedule(meant: string, given: Given): Promise<void> {
  await withSchedule(meant, given, async (found, { capturing }) => {
    process.stdout.write(`${await capturing.schedules.run(found)}\n`)
  })
}

async function pauseSchedule(meant: string, given: Given): Promise<void> {
  await withSchedule(meant, given, async (found, { capturing }) => {
    if (!found.paused) await capturing.schedules.setPaused(found, true)
    process.stderr.write(
      `Schedule ${found.scheduleId} is paused. Resume it with: npx proofsheet schedule resume ${found.scheduleId}\n`,
    )
  })
}

async function resumeSchedule(meant: string, given: Given): Promise<void> {
  await withSchedule(meant, given, async (found, { capturing: { schedules } }) => {
    const resumed = found.paused ? await schedules.setPaused(found, false) : found
    const { next } = await schedules.show(resumed)
    process.stderr.write(`Schedule ${found.scheduleId} is not paused. ${tellNext(next, zoneOf(resumed))}`)
  })
}

async function removeSchedule(meant: string, { yes, ...given }: Given & { yes?: true }): Promise<void> {
  await withSchedule(meant, given, async (found, { capturing }) => {
    const { scheduleId, name } = found
    if (!yes) await confirm(`schedule ${scheduleId}, with its secrets`, name)
    await capturing.schedules.remove(found)
    process.stderr.write(`Schedule ${scheduleId} is removed. Its screenshots stay.\n`)
  })
}

/** Oldest first. */
async function listAll({ store }: Storage, projectId: string): Promise<StoredSchedule[]> {
  return await readAll(
    (page) => store.schedules.page(projectId, page),
    ({ scheduleId }) => scheduleId,
  )
}

/** Throws `not_found`, or `bad_request` if it is not clear which schedule is meant. */
async function withSchedule(
  meant: string,
  { project }: Given,
  work: (found: StoredSchedule, opened: IdleCapturing) => Promise<void>,
): Promise<void> {
  await withIdleCapturing(async (opened) => {
    const { schedules } = opened.storage.store
    const projectId = await getProjectId(opened.storage, project)
    const scheduleId = await chooseByName('schedule', meant, {
      list: () => listAll(opened.storage, projectId),
      idOf: (each) => each.scheduleId,
    })
    const found = await schedules.find({ projectId, scheduleId })
    if (!found) throw noSuch('schedule', meant)
    await work(found, opened).catch(orNoSuch('schedule', meant))
  })
}
