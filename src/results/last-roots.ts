import type { LastRoot } from '../contract/templates.ts'
import { type Addresses, filesOf } from '../images/images.ts'
import type { Store } from '../store/store.ts'
import { stateOfRoot } from './state-of-root.ts'

/** The last roots of templates or schedules, by their ids. Those that were removed are left out. */
export async function findLastRoots(
  { findRoot, browsing }: Pick<Store, 'findRoot' | 'browsing'>,
  { projectId, rootIds }: { projectId: string; rootIds: readonly string[] },
  addresses: Addresses,
): Promise<Map<string, LastRoot>> {
  if (rootIds.length === 0) return new Map()
  const heads = await Promise.all(rootIds.map((rootId) => findRoot(projectId, rootId)))
  const requests = await browsing.requestsOf(projectId, rootIds)
  const first = await browsing.firstTexts(projectId, rootIds, { limit: 1 })
  return new Map(
    heads.flatMap((head) => {
      if (!head) return []
      const { rootId, created } = head
      const job = first.get(rootId)?.[0]
      const preview = job && { preview: addresses.address(filesOf(projectId, job).preview) }
      return [[rootId, { rootId, created, state: stateOfRoot(head, requests.get(rootId)), ...preview }]]
    }),
  )
}
