import { randomBytes, randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { runSql } from '../../test/support/servers/databases.ts'
import { makeKey, newJob } from '../../test/support/store/results.ts'
import type { Setup } from '../unfair/attack.ts'
import { addLargeRoot, addPictures, type Party, type World } from '../unfair/world.ts'
import { addressOf, type Body, LARGEST } from './bodies.ts'

/** A list page shows so many. */
const LISTED = 100
const JOBS = 10_000
const LONG_JOBS = 1_000
/** `MAX_DELIVERIES`. */
const DELIVERIES = 10_000
/** Of noise, so that the picture has nearly `MAX_CAPTURE_BYTES`. */
const SIDE = 3_300
const CREATED = 1_700_000_000_000
const LARGEST_BODY = LARGEST['a hundred addresses of 8 KB'] as () => Body

/** The largest things that clients can put into a store, with the limits as they are by default. */
export interface Largest {
  readonly party: Party
  readonly admin: string
  /** A root of 10,000 jobs with pictures. */
  readonly manyJobs: string
  /** A root of jobs whose addresses are as long as they may be. */
  readonly longJobs: string
  /** A root with one large picture. */
  readonly picture: { readonly rootId: string; readonly uuid: string }
  /** The same request as templates and as schedules, a list page of each. */
  readonly templateId: string
  readonly scheduleId: string
}

/** Fills the project of the attacker. The service need not run. */
export async function fill(world: World): Promise<Largest> {
  const { storage, attacker: party } = world
  const { store } = storage
  const manyJobs = await addLargeRoot(storage, party, JOBS)
  await addPictures(world, party, manyJobs)
  const { templateId, scheduleId } = await addKept(world, LARGEST_BODY(), LISTED)
  return {
    party,
    admin: (await makeKey(store)).secret,
    manyJobs,
    longJobs: await addRoot(world, LONG_JOBS, (index) => ({ url: addressOf(index) })),
    picture: await addLargePicture(world),
    templateId,
    scheduleId,
  }
}

/** Templates and schedules with this request. Returns the last of each. */
export async function addKept(
  { storage: { store }, attacker: { projectId } }: World,
  body: Body,
  count: number,
) {
  const request = JSON.stringify(body)
  const [templateId, scheduleId] = [randomUUID(), randomUUID()]
  for (let left = count - 1; left >= 0; left--) {
    const base = { projectId, name: `Large ${left}`, request, sealed: undefined, created: CREATED - left }
    await store.templates.create({ ...base, templateId: left > 0 ? randomUUID() : templateId })
    await store.schedules.create({
      ...base,
      ...{ scheduleId: left > 0 ? randomUUID() : scheduleId, templateId: undefined },
      ...{ cron: '0 2 * * *', timezone: 'Europe/Berlin', every: undefined },
      ...{ overlap: 'run', paused: true, next: undefined },
    })
  }
  return { templateId, scheduleId }
}

async function addRoot(
  { storage, attacker: { projectId } }: World,
  size: number,
  make: (index: number) => Partial<ReturnType<typeof newJob>>,
): Promise<string> {
  const rootId = randomUUID()
  const jobs = Array.from({ length: size }, (_, index) => newJob(make(index)))
  await storage.store.addRoot({ projectId, rootId, created: CREATED, digest: rootId, jobs }, async () => {})
  return rootId
}

async function addLargePicture(world: World) {
  const uuid = randomUUID()
  const rootId = await addRoot(world, 1, () => ({ uuid }))
  const folder = join(world.env['DATA_DIR'] ?? '', 'images', world.attacker.projectId)
  await mkdir(folder, { recursive: true })
  const noise = sharp(randomBytes(SIDE * SIDE * 3), { raw: { width: SIDE, height: SIDE, channels: 3 } })
  await writeFile(join(folder, `${uuid}.png`), await noise.png({ compressionLevel: 0 }).toBuffer())
  return { rootId, uuid }
}

/** A webhook that was told as much as a webhook may. `url`: nobody answers there. */
export async function addToldWebhook({ world, service }: Setup, url: string): Promise<string> {
  const { projectId, write } = world.attacker
  const response = await fetch(`${service.url}/api/projects/${projectId}/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${write}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Told', url, events: ['screenshot.done'] }),
  })
  const { webhookId } = (await response.json()) as { webhookId: string }
  const isSqlite = world.engine === 'SQLite'
  const numbers = isSqlite
    ? `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${DELIVERIES})`
    : ''
  const from = isSqlite ? 'numbers' : `generate_series(1, ${DELIVERIES}) n`
  // Ids are like that of the webhook, but for their end. A root has a hundred pages.
  const idOf = (number: string) => {
    const digits = `'000000000000' || (${number})`
    const id = `'${webhookId.slice(0, 24)}' || substr(${digits}, length(${digits}) - 11)`
    return isSqlite ? id : `(${id})::uuid`
  }
  await runSql(
    { dataDir: world.env['DATA_DIR'] ?? '', databaseUrl: world.env['DATABASE_URL'] ?? '' },
    `insert into deliveries (delivery_id, project_id, webhook_id, number, event, root_id, position, created, state,
       attempts, last_at, last_ms, last_status, last_answer, finished)
     ${numbers} select ${idOf('n')}, '${projectId}', '${webhookId}', n, 'screenshot.done', ${idOf('n / 100')}, n % 100,
       ${CREATED} + n, 'failed', 1, ${CREATED}, 5, 500, '${'no '.repeat(300)}', ${CREATED} from ${from}`,
  )
  return webhookId
}
