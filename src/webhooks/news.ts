import { rootPagePath } from '../contract/paths.ts'
import type { JobResult } from '../contract/results.ts'
import { type ExplainTo, tellFailure } from '../contract/status.ts'
import type { Images } from '../images/images.ts'
import { renderJobs } from '../results/render.ts'
import type { DeliveryTask } from '../store/deliveries.ts'
import type { Store } from '../store/store.ts'

/** The content of a delivery. `job` is the text of a `JobResult`. */
export type News = NonNullable<Awaited<ReturnType<typeof findNews>>>

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
) {
  if (event === 'webhook.test' || rootId === undefined)
    return { event: 'webhook.test' as const, data: { projectId, webhookId } }
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
  // The preview is for messages to people.
  return { event, data, preview, link }
}
