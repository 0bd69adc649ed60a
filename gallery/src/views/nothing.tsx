import { toProjects } from '../addresses.ts'
import { Layout } from '../parts/layout.tsx'

export function NothingView() {
  return (
    <Layout title="Not found">
      <div class="empty">
        <h1>Not found</h1>
        <p>
          There is nothing at this address. <a href={toProjects()}>All projects</a>
        </p>
      </div>
    </Layout>
  )
}
