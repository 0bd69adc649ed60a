import { toProjects } from '../addresses.ts'
import { Page } from '../parts/page.tsx'

export function NothingView() {
  return (
    <Page title="Nothing here">
      <div class="empty">
        <h1>Nothing is here</h1>
        <p>
          This address leads nowhere. <a href={toProjects()}>All projects</a>
        </p>
      </div>
    </Page>
  )
}
