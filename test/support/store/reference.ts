import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { readConfig } from '../../../src/config/config.ts'
import type { RootResult } from '../../../src/contract/results.ts'
import { createPathAddresses } from '../../../src/images/disk/signed-path.ts'
import { loadOrMakeSigningKeys } from '../../../src/images/disk/signing-keys.ts'
import type { Addresses } from '../../../src/images/images.ts'
import { openStorage } from '../../../src/service/storage.ts'
import type { NewJob, RootHead, RootPosition } from '../../../src/store/store.ts'
import { pictureKey, previewKey } from './image-keys.ts'

// Expected answers of the service, made from plain rows without any code of its read path.

export type Env = Record<string, string>

/** A host by which every instance may be addressed: then they must give the very same bytes. */
export const SHARED_HOST = 'shots.localhost'

/** Like `toBe`, for bodies that are too long to print. */
export function same(actual: string, expected: readonly string[], what: string): void {
  if (expected.includes(actual)) return
  const [wanted = ''] = expected
  let at = 0
  while (at < actual.length && actual[at] === wanted[at]) at++
  const around = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 100), at + 200))
  throw new Error(
    `${what}: ${actual.length} characters instead of ${wanted.length}, and other ones from ${at} on:\n` +
      `  answer:    ${around(actual)}\n  reference: ${around(wanted)}`,
  )
}

export interface Answer {
  readonly status: number
  readonly etag: string
  readonly link: string | undefined
  readonly body: string
}

export interface Asking {
  readonly host?: string | undefined
  readonly etag?: string | undefined
  readonly key?: string | undefined
}

const agent = new Agent({ keepAlive: true })

export async function ask(url: string, { host, etag, key }: Asking = {}): Promise<Answer> {
  const headers: Record<string, string> = {}
  if (host !== undefined) headers['host'] = host
  if (etag !== undefined) headers['if-none-match'] = etag
  if (key !== undefined) headers['authorization'] = `Bearer ${key}`
  const request = get(url, { headers, agent })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const body = await readText(response)
  const { statusCode = 0, headers: given } = response
  return { status: statusCode, etag: given.etag ?? '', link: given['link'] as string | undefined, body }
}

/** The path of the next list page. */
export function nextPage({ link }: Answer): string | undefined {
  const [, path] = /^<http:\/\/[^/]+([^>]+)>; rel="next"$/.exec(link ?? '') ?? []
  return path
}

/** The answer as the contract describes it, made from plain rows without any code of the service. */
export function renderRoot(
  { projectId, rootId, created }: { projectId: string; rootId: string; created: number },
  jobs: readonly NewJob[],
  addresses: Addresses,
): string {
  const result: RootResult = {
    rootId,
    meta: { created },
    jobs: jobs.map((job) => ({
      data: addresses.address(pictureKey(projectId, job.uuid)),
      rootId,
      projectId,
      uuid: job.uuid,
      url: { url: job.url, name: job.name, loadingTime: job.loadingTime },
      meta: { created: job.created },
      screenshotParameter: { height: job.height, width: job.width, basepath: job.basepath, name: job.uuid },
      preview: addresses.address(previewKey(projectId, job.uuid)),
    })),
  }
  return JSON.stringify(result)
}

export const list = (roots: readonly string[]) => `[${roots.join(',')}]`

/** Newest first, then by id. */
export function comesBefore(one: RootPosition, other: RootPosition): boolean {
  return one.created === other.created ? one.rootId < other.rootId : one.created > other.created
}

/** Reads a storage directly, past every cache of the service. */
export async function openReference(env: Env) {
  const config = readConfig({ PORT: '0', ...env })
  const { store, images, close } = await openStorage(config)
  onTestFinished(close)
  const { signingWindowMs: windowMs } = config
  const keys =
    config.images.kind === 'folder'
      ? (config.signingKeys ?? (await loadOrMakeSigningKeys(config.dataDir)))
      : undefined
  const addresses = async (at: { now: number; origin: string }) =>
    keys ? createPathAddresses({ keys, windowMs })(at) : await images.addresses(at)
  return {
    addresses,
    async roots(projectId: string): Promise<RootHead[]> {
      const heads = await store.pageRoots(projectId, { limit: 1_000_000 })
      for (const [index, head] of heads.slice(1).entries()) {
        if (!comesBefore(heads[index] as RootHead, head)) throw new Error('the reference is not in order')
      }
      return heads
    },
    /** Each as it should be answered at this time. */
    async texts(projectId: string, heads: readonly RootHead[], at: { now: number; origin: string }) {
      const rows = await store.jobsOf(
        projectId,
        heads.map(({ rootId }) => rootId),
      )
      const jobs = Map.groupBy(rows, ({ rootId }) => rootId)
      const made = await addresses(at)
      return heads.map((head) => renderRoot({ projectId, ...head }, jobs.get(head.rootId) ?? [], made))
    },
  }
}

export type Reference = Awaited<ReturnType<typeof openReference>>

/** All kinds of text that JSON may write in several ways, or that the engines may treat differently. */
export const NAMES = [
  'Home',
  'say "no" \\ </script>',
  'Ünïcødé 🦊 \u2028',
  'tab\tline\nreturn\r',
  '\x01\x1e\x1f\x7f',
  '',
]
