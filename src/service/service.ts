import { pino } from 'pino'
import { Administration } from '../access/administration.ts'
import { Door } from '../access/door.ts'
import { Keys } from '../access/keys.ts'
import { Sessions } from '../access/sessions.ts'
import type { Config } from '../config/config.ts'
import { GonePictures } from '../http/answers/gone-pictures.ts'
import type { Server } from '../http/context.ts'
import { schedules } from '../http/operations/schedules.ts'
import { templates } from '../http/operations/templates.ts'
import { webhooks } from '../http/operations/webhooks.ts'
import { openBodies } from '../http/rules/read-body.ts'
import { createServer } from '../http/server.ts'
import { createArchives } from '../results/archive.ts'
import { findLastRoots } from '../results/last-roots.ts'
import { createOverviews } from '../results/overviews.ts'
import { createPages } from '../results/pages.ts'
import { createProjects } from '../results/projects.ts'
import { createResults } from '../results/results.ts'
import { createTemplateResults } from '../results/templates.ts'
import { createKeyRing } from '../secrets/key-ring.ts'
import { ByteBudget } from '../shares/byte-budget.ts'
import { FairTurns } from '../shares/fair-turns.ts'
import { Pace } from '../shares/pace.ts'
import { Refusals } from '../shares/refusals.ts'
import { openProjectRemovals } from '../upkeep/remove.ts'
import { openSweeps } from '../upkeep/sweeps.ts'
import { type Capturing, type CapturingOptions, openCapturing } from './capturing.ts'
import { type NotificationTimes, openNotifications } from './notifications.ts'
import type { Storage } from './storage.ts'

/** The part of SHUTDOWN_TIMEOUT for returning captures to the queue and ending the browser. */
const CAPTURING_MS = 5_000
const CAPTURING_SHARE = 1 / 4

export interface Service {
  /** Its address: `http://127.0.0.1:8080`. */
  readonly url: string
  readonly capturing: Pick<Capturing, 'requests' | 'ready' | 'findBrowser'>
  /** Waits for open requests, at most `config.limits.shutdownMs`. The storage stays open. */
  close(): Promise<void>
}

export interface ServiceOptions extends Partial<Pick<CapturingOptions, 'log' | 'clock' | 'camera'>> {
  readonly delivering?: NotificationTimes | undefined
}

/** Serves a storage over HTTP, captures requested pages, and notifies webhooks. */
export async function openService(
  config: Config,
  storage: Storage,
  { log = pino({ level: 'silent' }), clock = Date.now, camera, delivering }: ServiceOptions = {},
): Promise<Service> {
  const { store, images } = storage
  for (const warning of store.warnings) log.warn(warning)
  const door = new Door(store)
  // SQLite works in this thread, so one piece at a time. With PostgreSQL, two pieces keep this thread busy. With three, small
  // requests wait for them in the database.
  const { database, databasePool } = config
  const atOnce = database.kind === 'sqlite' ? 1 : Math.min(2, Math.ceil(databasePool.connections / 2))
  const turns = new FairTurns(atOnce)
  const refusals = new Refusals()
  const gone = new GonePictures(door, images)
  const bodies = openBodies(config.limits, refusals)
  const pace = new Pace()
  const notifications = openNotifications(config, storage, {
    ...{ log, clock, inTurn: turns.for('deliveries'), endInTurn: turns.for('ended deliveries') },
    ...delivering,
  })
  const onEnded = notifications.wake
  const capturing = await openCapturing(config, storage, { log, clock, turns, onEnded, camera })
  const sweeps = openSweeps(storage, { log, kept: config.webhooks })
  const removals = openProjectRemovals(storage, (error, projectId) =>
    log.warn({ err: error, projectId }, 'could not end the removal of a project; a sweep will try again'),
  )
  const server = await createServer(
    {
      ...capturing,
      config,
      keys: new Keys(store),
      sessions: new Sessions(createKeyRing(storage.secretKeys), store),
      administration: new Administration(store, clock),
      removeProject: (projectId, now) => removals.begin(projectId, now),
      door,
      checkDatabase: () => store.check(),
      images,
      projects: createProjects(store),
      results: createResults(store, images, config.limits.cacheBytes),
      overviews: createOverviews(store, images, config.explainTo),
      pages: createPages(store, images),
      makeArchive: createArchives(store, images, turns),
      figures: {
        captures: capturing.figures,
        schedules: capturing.scheduleFigures,
        backlog: () => store.captures.findBacklog(),
        deliveries: notifications.figures,
        deliveriesBacklog: () => store.deliveries.findBacklog(),
        databaseConnections: () => store.connections(),
        swept: sweeps.removed,
      },
      gone,
      turns,
      pace,
      refusals,
      bodies,
      unread: new ByteBudget(config.limits.unreadBytes),
      clock,
    },
    [
      templates(capturing.templates, createTemplateResults(store, images)),
      schedules(capturing.schedules, async (rows, asked) =>
        findLastRoots(store, rows, await images.addresses(asked)),
      ),
      webhooks(notifications.webhooks),
    ],
    log,
  )
  // One listener: for a name with two addresses Fastify would make a second server without our limits.
  const host = config.host.toLowerCase() === 'localhost' ? '127.0.0.1' : config.host
  const close = async () => {
    const { shutdownMs } = config.limits
    pace.close()
    // Nothing that is under way in the server needs these.
    const ended = [notifications.close(), sweeps.close()]
    await closeServer(server, shutdownMs - Math.min(shutdownMs * CAPTURING_SHARE, CAPTURING_MS))
    await capturing.close()
    await Promise.all([...ended, removals.close()])
  }
  try {
    const url = await server.listen({ host, port: config.port })
    notifications.begin(url)
    return { url, capturing, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function closeServer(server: Server, graceMs: number): Promise<void> {
  const impatient = setTimeout(() => {
    server.log.warn('some requests did not finish within the time for stopping')
    server.server.closeAllConnections()
  }, graceMs)
  await server.close()
  clearTimeout(impatient)
}
