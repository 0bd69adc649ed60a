import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { RootOverview } from '../../src/contract/browsing.ts'
import {
  CAPTURE_REASONS,
  type CaptureReason,
  type PageStatus,
  type RootStatus,
  tellFailure,
} from '../../src/contract/status.ts'
import { eventsUrl, finishNext, newRequest, startAccepting, statusUrl } from '../support/http/requests.ts'
import { makeKey, makeProject, rootsUrl } from '../support/store/results.ts'

// Clients that request captures must not find out which internal names exist: they get the same answer for a private name and
// for one that does not exist.

const REASONS = Object.keys(CAPTURE_REASONS) as CaptureReason[]
const detailOf = (reason: CaptureReason) => `secret.example: ${reason}, see CAPTURE_ALLOW and 10.0.0.5`

/** One root with a page for each reason, and everything that a client with a key of the project is told about it. */
async function tellAll(env: Record<string, string>, projectId: string = randomUUID()) {
  const service = await startAccepting(env)
  await makeProject(service.store, projectId)
  const { secret } = await makeKey(service.store, projectId, 'write')
  const headers = env['AUTH'] === 'keys' ? { authorization: `Bearer ${secret}` } : undefined
  const posted = await service.post(
    { ...newRequest(), urls: REASONS.map((reason) => ({ url: 'http://secret.example/', name: reason })) },
    { projectId, ...(headers && { headers }) },
  )
  const { jobId } = (await posted.json()) as { jobId: string }
  for (const reason of REASONS) await finishNext(service.store, jobId, { reason, detail: detailOf(reason) })
  const read = async (path: string) => await (await service.get(path, headers)).text()
  const status = JSON.parse(await read(statusUrl(projectId, jobId))) as RootStatus
  const waited = JSON.parse(await read(`${statusUrl(projectId, jobId)}?wait=1`)) as RootStatus
  const [, event = ''] = /^data: (.*)$/m.exec(await read(eventsUrl(projectId, jobId))) ?? []
  const overview = JSON.parse(await read(`${rootsUrl(projectId)}/${jobId}/overview`)) as RootOverview
  const [listed] = JSON.parse(
    await read(`/api/projects/${projectId}/screenshots/overview?q=secret`),
  ) as RootOverview[]
  const kept = await service.store.captures.findProgress(projectId, jobId)
  return {
    told: {
      status: outline(status.urls),
      waited: outline(waited.urls),
      event: outline((JSON.parse(event) as RootStatus).urls),
      // An overview shows the first twelve of them.
      overview: outline(overview.failures),
      listed: outline(listed?.failures ?? []),
    },
    kept: kept?.captures.map(({ failed }) => failed?.reason),
    // Metrics count reasons.
    metrics: (await service.get('/metrics', headers)).status,
  }
}

interface Told {
  readonly name: string
  readonly reason: CaptureReason | undefined
  readonly detail: string | undefined
}

function outline(pages: readonly Pick<PageStatus, 'name' | 'reason' | 'detail'>[]): Told[] {
  return pages.map(({ name, reason, detail }) => ({ name, reason, detail }))
}

const CLOSED_DETAIL =
  'secret.example, or a host that it redirects to, could not be reached: either its name is unknown, or captured pages may not ' +
  'reach it. The log of the service says which.'

const open = REASONS.map((reason): Told => ({ name: reason, reason, detail: detailOf(reason) }))
const closed = open.map((page) =>
  page.reason === 'dns' || page.reason === 'blocked'
    ? { name: page.name, reason: 'unreachable' as const, detail: CLOSED_DETAIL }
    : page,
)
const everywhere = (pages: Told[]) => ({
  ...{ status: pages, waited: pages, event: pages },
  ...{ overview: pages.slice(0, 12), listed: pages.slice(0, 12) },
})

describe('the reason of a failure', () => {
  test.each([
    ['AUTH=keys', { AUTH: 'keys' }],
    ['AUTH=open-to-everyone', { AUTH: 'open-to-everyone' }],
    ['EXPLAIN_TO has other projects', { AUTH: 'keys', EXPLAIN_TO: randomUUID() }],
  ])('is hidden from strangers if it could reveal internal names: %s', async (_, env) => {
    expect(await tellAll(env)).toEqual({ told: everywhere(closed), kept: REASONS, metrics: 401 })
  })

  const projectId = randomUUID()
  test.each([
    ['AUTH=open', {}],
    ['EXPLAIN_TO=everyone', { AUTH: 'keys', EXPLAIN_TO: 'everyone' }],
    [
      'EXPLAIN_TO has the project',
      { AUTH: 'keys', EXPLAIN_TO: `${randomUUID()}, ${projectId.toUpperCase()}` },
    ],
  ])('is shown if %s', async (_, env) => {
    const { told } = await tellAll(env, projectId)
    expect(told).toEqual(everywhere(open))
  })

  test('is hidden in the same way for every URL, whatever happened', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (rest, one, other) => {
        const url = `http://secret.test${rest}`
        const dns = tellFailure({ reason: 'dns', detail: one }, url, false)
        expect(tellFailure({ reason: 'blocked', detail: other }, url, false)).toEqual(dns)
      }),
    )
  })
})
