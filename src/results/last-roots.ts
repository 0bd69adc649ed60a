import type { LastRoot } from '../contract/owned.ts'
import { type Addresses, filesOf } from '../images/images.ts'
import type { Store } from '../store/store.ts'
import type { StoredTemplate } from '../store/templates.ts'
import { stateOfRoot } from './search.ts'

/** The last roots of templates or schedules of one project, by their ids. Those that were removed are left out. */
export async function findLastRoots(
  { findRoot, browsing }: Pick<Store, 'findRoot' | 'browsing'>,
  rows: readonly Pick<StoredTemplate, 'projectId' | 'lastRoot'>[],
  addresses: Addresses,
): Promise<Map<string, LastRoot>> {
  const projectId = rows[0]?.projectId
  const rootIds = rows.flatMap(({ lastRoot }) => lastRoot ?? [])
  if (projectId === undefined || rootIds.length === 0) return new Map()
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
