import { randomUUID } from 'node:crypto'
import * as to from '../../src/contract/paths.ts'
import type { Setup } from '../unfair/attack.ts'
import { addressOf, LARGEST, LONGEST_ADDRESS, REFUSED } from './bodies.ts'
import type { Largest } from './world.ts'

/** A request whose longest hold of the event loop is measured. */
export interface Ask {
  readonly method: string
  readonly path: string
  readonly key: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  /** An answer that does not end, or takes long, is read for this time. */
  readonly forMs?: number
  /** The request is refused as wrong. */
  readonly isWrong?: true
}

export interface Walk extends Setup {
  readonly largest: Largest
  /** A webhook that was told much. */
  readonly webhookId: string
  /** Nobody answers there. */
  readonly receiver: string
  /** Has something made, and returns the answer. */
  make(ask: Ask): Promise<Record<string, string>>
}

type MakeAsk = (walk: Walk) => Ask | Promise<Ask>

const LONG = 'x'.repeat(200)
const READ_MS = 1_500
/** In several spellings, each of which must be compared at almost every place of an address. */
const ALMOST = encodeURIComponent(`${'x'.repeat(190)} éy`)
/** Of the service that is asked. */
export const METRICS_TOKEN = 'a-token-for-this-bench'

const get =
  (path: (walk: Walk) => string, more: Partial<Ask> = {}): MakeAsk =>
  (walk) => ({ method: 'GET', path: path(walk), key: walk.largest.party.read, ...more })

const send =
  (method: string, path: (walk: Walk) => string, body?: (walk: Walk) => unknown): MakeAsk =>
  (walk) => ({
    ...{ method, path: path(walk), key: walk.largest.party.write },
    ...(body && { body: toText(body(walk)) }),
  })

const asAdmin =
  (make: MakeAsk): MakeAsk =>
  async (walk) => ({ ...(await make(walk)), key: walk.largest.admin })

/** Webhooks are shown only to keys that may change them. */
const writer =
  (make: MakeAsk): MakeAsk =>
  async (walk) => ({ ...(await make(walk)), key: walk.largest.party.write })

const toText = (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body))

/** Each of the largest bodies as a request of its own. */
const each = (
  make: (body: () => ReturnType<(typeof LARGEST)[string]>, what: string) => MakeAsk,
): Record<string, MakeAsk> =>
  Object.fromEntries(Object.entries(LARGEST).map(([what, body]) => [what, make(body, what)]))

const projectId = ({ largest }: Walk) => largest.party.projectId
const in_ =
  (path: (typeof to.paths)[keyof typeof to.paths], ...rest: ((walk: Walk) => string)[]) =>
  (walk: Walk) =>
    to.pathTo(path, projectId(walk), ...rest.map((part) => part(walk)))

const templateOf = ({ largest }: Walk) => largest.templateId
const scheduleOf = ({ largest }: Walk) => largest.scheduleId
const webhookOf = ({ webhookId }: Walk) => webhookId
const manyJobs = ({ largest }: Walk) => largest.manyJobs
const longJobs = ({ largest }: Walk) => largest.longJobs

/** The path of something that is made for the request, and may be removed by it. */
async function made(walk: Walk, how: MakeAsk, id: string, path: (typeof to.paths)[keyof typeof to.paths]) {
  const { [id]: value = '' } = await walk.make(await how(walk))
  return to.pathTo(path, ...(path.includes(':projectId') ? [projectId(walk)] : []), value)
}

const templateWith = (body: () => object) =>
  send('POST', in_(to.paths.templates), () => ({ name: LONG, ...body() }))
const schedule = (body: () => object) => ({
  name: LONG,
  request: body(),
  cron: '0 2 * * *',
  timezone: 'Europe/Berlin',
})
const scheduleWith = (body: () => object) => send('POST', in_(to.paths.schedules), () => schedule(body))
const webhook = (walk: Walk) => ({
  name: LONG,
  url: walk.receiver.padEnd(LONGEST_ADDRESS, 'x'),
  events: ['root.finished'],
})
const newWebhook = send('POST', in_(to.paths.webhooks), webhook)
const newKey = asAdmin(
  send(
    'POST',
    () => to.paths.keys,
    (walk) => ({ scope: 'read', projectId: projectId(walk), label: LONG }),
  ),
)
const newProject = asAdmin(
  send(
    'POST',
    () => to.paths.listProjects,
    () => ({ name: LONG }),
  ),
)
const largestOf = Object.values(LARGEST)[0] as () => object

/** What a browser says of a request that a page of the service sends. */
const OWN_PAGE = { 'sec-fetch-site': 'same-origin' }

/** The cookie of a session. Ten keys are the most that it may have. */
async function session(walk: Walk, most = 10): Promise<{ cookie: string }> {
  let cookie = ''
  for (let keys = 0; keys < most; keys++) {
    const { key = '' } = await walk.make(await newKey(walk))
    const response = await fetch(walk.service.url + to.paths.session, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...OWN_PAGE, cookie },
      body: JSON.stringify({ key, stay: true }),
    })
    cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? cookie
  }
  return { cookie }
}

const withSession =
  (make: MakeAsk, keys?: number): MakeAsk =>
  async (walk) => ({
    ...(await make(walk)),
    key: '',
    headers: { ...OWN_PAGE, ...(await session(walk, keys)) },
  })

/** How to ask each operation of `/openapi.json` for as much as it allows, each time anew. By the id of the operation. */
export const OPERATIONS: Readonly<Record<string, Readonly<Record<string, MakeAsk>>>> = {
  listRoots: {
    'all roots': get(in_(to.paths.listRoots), { forMs: READ_MS }),
    'a list page, searched': get(
      (walk) => `${in_(to.paths.listRoots)(walk)}?limit=100&q=nowhere-to-be-found`,
    ),
  },
  getRoot: {
    '10,000 jobs': get(in_(to.paths.getRoot, manyJobs)),
    'jobs with addresses of 8 KB': get(in_(to.paths.getRoot, longJobs)),
  },
  listProjects: { '': asAdmin(get(() => `${to.paths.listProjects}?limit=100`)) },
  getProject: { '': get(in_(to.paths.getProject)) },
  listOverviews: {
    '': get((walk) => `${in_(to.paths.listOverviews)(walk)}?limit=100`),
    'searched in vain': get(
      (walk) => `${in_(to.paths.listOverviews)(walk)}?limit=100&q=${'nowhere '.repeat(25)}`,
    ),
    'searched for what addresses almost contain': get(
      (walk) => `${in_(to.paths.listOverviews)(walk)}?limit=100&q=${ALMOST}`,
    ),
  },
  getRootOverview: {
    '10,000 jobs': get(in_(to.paths.getRootOverview, manyJobs)),
    'jobs with addresses of 8 KB': get(in_(to.paths.getRootOverview, longJobs)),
  },
  listPages: {
    '': get((walk) => `${in_(to.paths.listPages)(walk)}?limit=100`),
    'searched in vain': get((walk) => `${in_(to.paths.listPages)(walk)}?limit=100&q=nowhere-to-be-found`),
    'searched for what addresses almost contain': get(
      (walk) => `${in_(to.paths.listPages)(walk)}?limit=100&q=${ALMOST}`,
    ),
  },
  listHistory: {
    '': get((walk) => `${in_(to.paths.listHistory)(walk)}?limit=100&url=${encodeURIComponent(addressOf(0))}`),
  },
  getPicture: {
    '32 MiB': get((walk) =>
      to.pathTo(to.paths.getPicture, projectId(walk), walk.largest.picture.rootId, walk.largest.picture.uuid),
    ),
  },
  getArchive: {
    '10,000 pictures': get(in_(to.paths.getArchive, manyJobs), { forMs: READ_MS }),
    'a picture of 32 MiB': get(in_(to.paths.getArchive, ({ largest }) => largest.picture.rootId)),
  },
  requestScreenshots: {
    ...each((body) => send('POST', in_(to.paths.requestScreenshots), body)),
    ...Object.fromEntries(
      Object.entries(REFUSED).map(([what, body]) => [
        what,
        (walk) => ({ ...send('POST', in_(to.paths.requestScreenshots), body)(walk), isWrong: true }) as Ask,
      ]),
    ),
  },
  cancelRoot: {
    '': async (walk) => {
      const later = { ...largestOf(), scheduledTs: Date.now() + 86_400_000 }
      const path = await made(
        walk,
        send('POST', in_(to.paths.requestScreenshots), () => later),
        'jobId',
        to.paths.cancelRoot,
      )
      return { method: 'DELETE', path, key: walk.largest.party.write }
    },
  },
  getStatus: {
    '10,000 jobs': get(in_(to.paths.getStatus, manyJobs)),
    ...each((body) => async (walk) => ({
      ...{ method: 'GET', key: walk.largest.party.read },
      path: await made(
        walk,
        send('POST', in_(to.paths.requestScreenshots), body),
        'jobId',
        to.paths.getStatus,
      ),
    })),
  },
  watchStatus: {
    '10,000 jobs': get(in_(to.paths.watchStatus, manyJobs), { forMs: READ_MS }),
    'a hundred pages that wait': async (walk) => ({
      ...{ method: 'GET', key: walk.largest.party.read, forMs: READ_MS },
      path: await made(
        walk,
        send('POST', in_(to.paths.requestScreenshots), largestOf),
        'jobId',
        to.paths.watchStatus,
      ),
    }),
  },
  listTemplates: { '': get((walk) => `${in_(to.paths.templates)(walk)}?limit=100`) },
  createTemplate: each(templateWith),
  getTemplate: { '': get(in_(to.paths.template, templateOf)) },
  changeTemplate: each((body) => async (walk) => ({
    ...(await templateWith(body)(walk)),
    method: 'PUT',
    path: await made(walk, templateWith(body), 'templateId', to.paths.template),
  })),
  runTemplate: each((body) => async (walk) => ({
    ...{ method: 'POST', key: walk.largest.party.write },
    path: await made(walk, templateWith(body), 'templateId', to.paths.template),
    body: '{}',
  })),
  removeTemplate: {
    '': async (walk) => ({
      ...{ method: 'DELETE', key: walk.largest.party.write },
      path: await made(walk, templateWith(largestOf), 'templateId', to.paths.template),
    }),
  },
  listSchedules: { '': get((walk) => `${in_(to.paths.schedules)(walk)}?limit=100`) },
  createSchedule: each(scheduleWith),
  getSchedule: { '': get(in_(to.paths.schedule, scheduleOf)) },
  changeSchedule: each((body) => async (walk) => ({
    ...(await scheduleWith(body)(walk)),
    method: 'PUT',
    path: await made(walk, scheduleWith(body), 'scheduleId', to.paths.schedule),
  })),
  runSchedule: each((body) => async (walk) => ({
    ...{ method: 'POST', key: walk.largest.party.write },
    path: await made(walk, scheduleWith(body), 'scheduleId', to.paths.runSchedule),
  })),
  removeSchedule: {
    '': async (walk) => ({
      ...{ method: 'DELETE', key: walk.largest.party.write },
      path: await made(walk, scheduleWith(largestOf), 'scheduleId', to.paths.schedule),
    }),
  },
  previewSchedule: {
    'a time that is rare': send('POST', in_(to.paths.previewSchedule), () => ({
      cron: '0 0 29 2 1',
      timezone: 'Europe/Berlin',
    })),
    'a long list of times': send('POST', in_(to.paths.previewSchedule), () => ({
      cron: `${Array.from({ length: 60 }, (_, at) => at).join(',')} 2 29 2 *`,
      timezone: 'America/New_York',
    })),
  },
  createKey: { '': newKey },
  listKeys: { '': asAdmin(get(() => `${to.paths.keys}?limit=100`)) },
  revokeKey: {
    '': async (walk) => ({
      ...{ method: 'DELETE', key: walk.largest.admin },
      path: await made(walk, newKey, 'keyId', to.paths.key),
    }),
  },
  signIn: {
    '': withSession(async (walk) => {
      const { key = '' } = await walk.make(await newKey(walk))
      return { method: 'POST', path: to.paths.session, key: '', body: JSON.stringify({ key, stay: true }) }
    }, 9),
  },
  getSession: { '': withSession(get(() => to.paths.session)) },
  signOut: { '': withSession(send('DELETE', () => to.paths.session)) },
  signOutKey: { '': withSession(send('DELETE', () => to.pathTo(to.paths.sessionKey, randomUUID()))) },
  createProject: { '': newProject },
  renameProject: { '': asAdmin(send('PUT', in_(to.paths.getProject), () => ({ name: LONG }))) },
  removeProject: {
    '': async (walk) => ({
      ...{ method: 'DELETE', key: walk.largest.admin },
      path: to.projectPath((await walk.make(await newProject(walk)))['projectId'] ?? ''),
    }),
  },
  getImage: {
    '32 MiB': async (walk) => {
      const path = to.rootPath(projectId(walk), walk.largest.picture.rootId)
      const response = await fetch(walk.service.url + path, {
        headers: { authorization: `Bearer ${walk.largest.party.read}` },
      })
      const data = /"data":"([^"]+)"/.exec(await response.text())?.[1] ?? ''
      const { pathname, search } = new URL(data)
      return { method: 'GET', path: pathname + search, key: '' }
    },
  },
  healthz: { '': get(() => '/healthz') },
  readyz: { '': get(() => '/readyz') },
  metrics: { '': get(() => '/metrics', { key: METRICS_TOKEN }) },
  createWebhook: { '': newWebhook },
  listWebhooks: { '': writer(get(in_(to.paths.webhooks))) },
  getWebhook: { '': writer(get(in_(to.paths.webhook, webhookOf))) },
  changeWebhook: { '': send('PUT', in_(to.paths.webhook, webhookOf), webhook) },
  rotateSecret: { '': send('POST', in_(to.paths.rotateSecret, webhookOf)) },
  testWebhook: { '': send('POST', in_(to.paths.testWebhook, webhookOf)) },
  listDeliveries: { '': writer(get((walk) => `${in_(to.paths.deliveries, webhookOf)(walk)}?limit=100`)) },
  replayDelivery: {
    '': async (walk) => {
      const path = in_(to.paths.deliveries, webhookOf)(walk)
      const [first] = (await walk.make(
        await writer(get(() => `${path}?limit=1`))(walk),
      )) as unknown as Record<string, string>[]
      return {
        method: 'POST',
        path: `${path}/${first?.['deliveryId']}/replay`,
        key: walk.largest.party.write,
      }
    },
  },
  replayDeliveries: {
    '10,000 deliveries': send('POST', in_(to.paths.replayDeliveries, webhookOf), () => ({ from: 0 })),
  },
  removeWebhook: {
    '': async (walk) => ({
      ...{ method: 'DELETE', key: walk.largest.party.write },
      path: await made(walk, newWebhook, 'webhookId', to.paths.webhook),
    }),
  },
}

/** What else can be asked for. */
export const OTHERS: Readonly<Record<string, MakeAsk>> = {
  '/openapi.json': get(() => '/openapi.json'),
  '/docs': get(() => '/docs'),
}
