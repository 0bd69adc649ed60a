import type { View } from '../contract/capture-options.ts'
import type { ShownJob } from '../store/browsing.ts'
import type { Store } from '../store/store.ts'
import type { AskedForMuch } from './results.ts'

/** Which screenshots of a page: those that were asked for in this way. What is undefined does not matter. */
export type Series = { readonly [Option in keyof View]?: View[Option] | undefined }

/** Screenshots that are looked at for one page of a series. After that it is answered as it is. */
const MOST_LOOKED_AT = 5_000
/** In one turn. */
const AT_ONCE = 200

/** One page of the history of an address. `last`: where to go on, if anything may follow. */
export async function findHistory(
  { browsing }: Pick<Store, 'browsing'>,
  projectId: string,
  url: string,
  page: { after: ShownJob | undefined; limit: number; series: Series },
  { isGone, inTurn }: AskedForMuch,
): Promise<{ jobs: ShownJob[]; last: string | undefined }> {
  const { limit, series } = page
  const isWhole = Object.values(series).every((value) => value === undefined)
  const atOnce = isWhole ? limit + 1 : AT_ONCE
  const found: ShownJob[] = []
  let after = page.after
  for (let lookedAt = 0; ; ) {
    if (isGone()) return { jobs: [], last: undefined }
    const from = after && { created: after.created, ...after.text }
    const some = await inTurn(() => browsing.pageHistory(projectId, url, { after: from, limit: atOnce }))
    found.push(...some.filter((job) => isOf(series, job)))
    if (found.length > limit) return { jobs: found.slice(0, limit), last: found[limit - 1]?.text.uuid }
    lookedAt += some.length
    after = some.at(-1)
    if (some.length < atOnce) return { jobs: found, last: undefined }
    if (lookedAt >= MOST_LOOKED_AT) return { jobs: found, last: after?.text.uuid }
  }
}

/** What was imported was not asked for in any way. */
function isOf(series: Series, { view }: ShownJob): boolean {
  return Object.entries(series).every(
    ([option, value]) => value === undefined || view?.[option as keyof View] === value,
  )
}
