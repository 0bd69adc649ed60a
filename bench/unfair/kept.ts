import { setTimeout as sleep } from 'node:timers/promises'
import { overviewsPath, paths, pathTo, projectPath } from '../../src/contract/paths.ts'
import { type Body, LARGEST } from '../holds/bodies.ts'
import { addKept } from '../holds/world.ts'
import { type Attack, attackWith, type Setup } from './attack.ts'
import { toGet, toPost, toSend } from './requests.ts'
import type { World } from './world.ts'

/** As many as a list page shows. */
const KEPT = 100
const CLIENTS = 10
const SETTLE_MS = 10_000
/** A root begins with each run: the limit of waiting pages would soon refuse them. */
const ENV = { CAPTURE_CONCURRENCY: '0', MAX_PAGES_WAITING: '1000000' }

const largest = LARGEST['a hundred addresses of 8 KB'] as () => Body
const made = new WeakMap<World, ReturnType<typeof addKept>>()

/** A hundred templates and a hundred schedules of 850 KB, made for the first attack that needs them. */
function keptIn(world: World): ReturnType<typeof addKept> {
  const kept = made.get(world) ?? addKept(world, largest(), KEPT)
  made.set(world, kept)
  return kept
}

type Ask = (
  ids: { projectId: string; templateId: string; scheduleId: string },
  keys: { url: string; read: string; write: string },
) => string

const asking = (id: string, what: string, ask: Ask, connections = CLIENTS): Attack => ({
  id,
  what,
  env: ENV,
  async prepare({ world }: Setup) {
    if (made.has(world)) return
    await keptIn(world)
    // The database has much to write after that.
    await sleep(SETTLE_MS)
  },
  async start({ world, service: { url } }: Setup) {
    const { projectId, read, write } = world.attacker
    const request = ask({ projectId, ...(await keptIn(world)) }, { url, read, write })
    return await attackWith({ url, connections, requests: [request], manner: 'loop' })
  },
})

const schedule = () => ({ name: 'Large', request: largest(), cron: '0 2 * * *', paused: true })

/** Rows 20 to 24: large templates, schedules and requests, ten at a time. */
export const kept: readonly Attack[] = [
  asking(
    '20a',
    'a list page of 100 templates of 850 KB in a loop, 10 connections',
    ({ projectId }, { url, read }) => toGet(url + pathTo(paths.templates, projectId), read),
  ),
  asking(
    '20b',
    'a list page of 100 schedules of 850 KB in a loop, 10 connections',
    ({ projectId }, { url, read }) => toGet(url + pathTo(paths.schedules, projectId), read),
  ),
  asking(
    '21a',
    'running a template of 850 KB in a loop, 10 connections',
    ({ projectId, templateId }, { url, write }) =>
      toPost(url + pathTo(paths.template, projectId, templateId), write, '{}'),
  ),
  asking('21b', 'changing it', ({ projectId, templateId }, { url, write }) =>
    toSend(
      'PUT',
      url + pathTo(paths.template, projectId, templateId),
      write,
      JSON.stringify({ name: 'Large', ...largest() }),
    ),
  ),
  asking(
    '22a',
    'running a schedule of 850 KB in a loop, 10 connections',
    ({ projectId, scheduleId }, { url, write }) =>
      toPost(url + pathTo(paths.runSchedule, projectId, scheduleId), write, ''),
  ),
  asking('22b', 'changing it', ({ projectId, scheduleId }, { url, write }) =>
    toSend('PUT', url + pathTo(paths.schedule, projectId, scheduleId), write, JSON.stringify(schedule())),
  ),
  asking('22c', 'previews of a schedule in a loop, 10 connections', ({ projectId }, { url, write }) =>
    toPost(
      url + pathTo(paths.previewSchedule, projectId),
      write,
      JSON.stringify({ cron: '0 0 29 2 1', timezone: 'Europe/Berlin' }),
    ),
  ),
  asking('23', 'requests of 850 KB in a loop, 10 connections', ({ projectId }, { url, write }) =>
    toPost(url + projectPath(projectId), write, JSON.stringify(largest())),
  ),
  asking('24', 'searching overviews in vain in a loop, 10 connections', ({ projectId }, { url, read }) =>
    toGet(`${url}${overviewsPath(projectId)}?limit=100&q=%C3%A9nowhere`, read),
  ),
]
