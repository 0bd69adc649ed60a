import { rootPagePath } from '../contract/paths.ts'
import type { JobResult } from '../contract/results.ts'
import {
  type CaptureReason,
  type Counts,
  type ExplainTo,
  type Origin,
  type RootState,
  tellFailure,
} from '../contract/status.ts'
import type { Images } from '../images/images.ts'
import { renderJobs } from '../results/render.ts'
import type { DeliveryTask } from '../store/deliveries.ts'
import type { Store } from '../store/store.ts'

/** The content of a delivery. `job` is the text of a `JobResult`. */
export type News =
  | { readonly event: 'screenshot.done'; readonly job: string; readonly link: string }
  | {
      readonly event: 'screenshot.failed'
      readonly data: RootIds & {
        readonly position: number
        readonly url: string
        readonly name: string
        readonly reason: CaptureReason
        readonly detail: string
      }
      readonly link: string
    }
  | {
      readonly event: 'root.finished'
      readonly data: RootIds &
        Origin & {
          readonly state: RootState
          readonly counts: Counts
          readonly tags: readonly string[]
          readonly link: string
        }
      /** Of its first picture, for messages to people. */
      readonly preview: string | undefined
      readonly link: string
    }
  | {
      readonly event: 'webhook.test'
      readonly data: { readonly projectId: string; readonly webhookId: string }
    }

interface RootIds {
  readonly projectId: string
  readonly rootId: string
}

export interface NewsSources {
  readonly store: Pick<Store, 'pageTexts' | 'captures'>
  readonly images: Pick<Images, 'addresses'>
  readonly explainTo: ExplainTo
  /** The address at which clients reach the service. */
  readonly origin: () => string
}

/** No version is larger: so no captures are read, only their counts. */
const NO_CAPTURES = 2 ** 31 - 1

/** Reads the content of a delivery. Undefined if its page or root is gone. Addresses of pictures are signed now. */
export async function findNews(
  { projectId, webhookId, rootId, event, position = 0, webhook }: DeliveryTask,
  { store, images, explainTo, origin }: NewsSources,
  now: number,
): Promise<News | undefined> {
  if (event === 'webhook.test' || rootId === undefined)
    return { event: 'webhook.test', data: { projectId, webhookId } }
  const root = { projectId, rootId }
  const link = origin() + rootPagePath(projectId, rootId)
  const findJob = async (from: number) => {
    const texts = await store.pageTexts(projectId, rootId, { from, limit: 1 })
    const [job] = texts?.jobs ?? []
    const addresses = await images.addresses({ now, origin: origin() })
    return job && { position: job.position, text: renderJobs(root, [job], addresses) }
  }
  if (event === 'screenshot.done') {
    const job = await findJob(position)
    return job?.position === position ? { event, job: job.text, link } : undefined
  }
  if (event === 'screenshot.failed') {
    const failed = await store.captures.findFailed(projectId, rootId, position)
    if (!failed) return undefined
    const { url, name } = failed
    const told = tellFailure(failed, url, explainTo.has(projectId))
    return { event, data: { ...root, position, url, name, ...told }, link }
  }
  const changes = await store.captures.findChanges(projectId, rootId, NO_CAPTURES)
  if (!changes?.finished) return undefined
  const { counts, options, origin: comesFrom } = changes
  const first = webhook.format === 'standard' ? undefined : await findJob(0)
  const preview = first && (JSON.parse(first.text) as JobResult).preview
  const data = { ...root, state: changes.finished.outcome, counts, tags: options.tags, ...comesFrom, link }
  return { event, data, preview, link }
}

/** What happened, for people. */
export interface Line {
  readonly text: string
  readonly link: string | undefined
  readonly picture: string | undefined
}

/** The same for people. The texts are not escaped, and the picture may not be reachable for others. */
export function lineOf(news: News, webhookName: string): Line {
  switch (news.event) {
    case 'screenshot.done': {
      const { url, preview } = JSON.parse(news.job) as JobResult
      return { text: `${url.name || url.url} was captured`, link: news.link, picture: preview }
    }
    case 'screenshot.failed': {
      const { name, url, detail } = news.data
      return {
        text: `${name || url} could not be captured: ${detail}`,
        link: news.link,
        picture: undefined,
      }
    }
    case 'root.finished':
      return { text: summarize(news.data), link: news.link, picture: news.preview }
    default:
      return { text: `A test of the webhook ${webhookName}`, link: undefined, picture: undefined }
  }
}

function summarize({ state, counts, tags }: Extract<News, { event: 'root.finished' }>['data']): string {
  const labels = tags.length > 0 ? ` (${tags.join(', ')})` : ''
  const pages = counts.total === 1 ? '1 page' : `${counts.total} pages`
  if (state === 'done') return `${pages} captured${labels}`
  if (state === 'partial') return `${counts.done} of ${pages} captured, ${counts.failed} failed${labels}`
  return state === 'cancelled'
    ? `The request for ${pages} was cancelled${labels}`
    : `${pages} failed${labels}`
}
