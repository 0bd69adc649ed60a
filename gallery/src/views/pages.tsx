import { useCallback } from 'preact/hooks'
import { COUNTED_PICTURES, type PageSummary } from '../../../src/contract/browsing.ts'
import { shortAddress } from '../../../src/contract/page-lines.ts'
import { toHistory, toPages } from '../addresses.ts'
import { go } from '../navigation.ts'
import { Grid } from '../parts/grid.tsx'
import { Layout } from '../parts/layout.tsx'
import { Preview, RenewContext } from '../parts/preview.tsx'
import { Problem } from '../parts/problem.tsx'
import { Search } from '../parts/search.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { atATime, client } from '../session.ts'
import { useListing } from '../use-listing.ts'
import { count, number, shortDay } from '../words.ts'

const PAGE = 60

export function PagesView({ projectId, q }: { projectId: string; q: string }) {
  const pages = useListing(
    `pages ${projectId} ${q}`,
    () => client.listPages(projectId, { limit: atATime(PAGE), ...(q && { q }) }),
    ({ latest }) => latest.preview,
  )
  const onLast = useCallback(
    (last: number) => {
      if (last >= pages.items.length) pages.more()
    },
    [pages, pages.items],
  )
  return (
    <Layout title="Pages" projectId={projectId} place="pages">
      <div class="tools">
        <h1 class="unseen">Pages</h1>
        <Search
          value={q}
          label="Search names and addresses"
          onSearch={(text) => go(toPages(projectId, text), { replace: true })}
        />
      </div>
      <RenewContext.Provider value={useCallback(() => pages.renewUnlessJustDone(), [pages])}>
        {pages.items.length > 0 && (
          <Grid
            count={pages.items.length}
            label="Pages, by address"
            onLast={onLast}
            card={(index) => <PageCard projectId={projectId} page={pages.items[index] as PageSummary} />}
          />
        )}
      </RenewContext.Provider>
      {pages.failure !== undefined && <Problem failure={pages.failure} retry={() => pages.retry()} />}
      {pages.growing && <Waiting />}
      {pages.complete && pages.items.length === 0 && (
        <p class="empty">{q ? 'No pages match.' : 'There are no pictures yet.'}</p>
      )}
    </Layout>
  )
}

function PageCard({ projectId, page }: { projectId: string; page: PageSummary }) {
  const { url, name, pictures, oldest, newest, latest } = page
  const days = [...new Set([shortDay(oldest), shortDay(newest)])]
  return (
    <a key={url} class="card" href={toHistory(projectId, url)}>
      <Preview job={latest} seen={latest.seen} />
      <strong dir="auto">{name}</strong>
      <span class="address" dir="ltr">
        {shortAddress(url)}
      </span>
      <span class="soft">
        {pictures < COUNTED_PICTURES ? count(pictures, 'picture') : `${number(pictures)}+ pictures`} ·{' '}
        {days.join(' – ')}
      </span>
    </a>
  )
}
