import type { View } from '../contract/capture-options.ts'
import type { ShownJob } from '../store/browsing.ts'
import type { Store } from '../store/store.ts'
import type { AskedForMuch } from './answer.ts'

/** Selects the screenshots of a page by their options. An undefined option matches all. */
export type ViewFilter = { readonly [Option in keyof View]?: View[Option] | undefined }

/** Screenshots that are read for one list page that is filtered. After that, the list page is answered even if it is not full. */
const MOST_LOOKED_AT = 5_000
/** Screenshots read in one turn. */
const AT_ONCE = 200

/** One list page of the history of an address. `last`: the next list page begins after it, if there may be one. */
export async function findHistory(
  { browsing }: Pick<Store, 'browsing'>,
  projectId: string,
  url: string,
  page: { after: ShownJob | undefined; limit: number; filter: ViewFilter },
  { isGone, inTurn }: AskedForMuch,
): Promise<{ jobs: ShownJob[]; last: string | undefined }> {
  const { limit, filter } = page
  const isWhole = Object.values(filter).every((value) => value === undefined)
  const atOnce = isWhole ? limit + 1 : AT_ONCE
  const found: ShownJob[] = []
  let after = page.after
  for (let lookedAt = 0; ; ) {
    if (isGone()) return { jobs: [], last: undefined }
    const from = after && { created: after.created, ...after.text }
    const some = await inTurn(() => browsing.pageHistory(projectId, url, { after: from, limit: atOnce }))
    found.push(...some.filter((job) => isOf(filter, job)))
    if (found.length > limit) return { jobs: found.slice(0, limit), last: found[limit - 1]?.text.uuid }
    lookedAt += some.length
    after = some.at(-1)
    if (some.length < atOnce) return { jobs: found, last: undefined }
    if (lookedAt >= MOST_LOOKED_AT) return { jobs: found, last: after?.text.uuid }
  }
}

/** Imported screenshots have no options. */
function isOf(filter: ViewFilter, { view }: ShownJob): boolean {
  return Object.entries(filter).every(
    ([option, value]) => value === undefined || view?.[option as keyof View] === value,
  )
}
