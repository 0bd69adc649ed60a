import { useEffect } from 'preact/hooks'
import { AdminKeys } from '../parts/admin-keys.tsx'
import { AdminProjects } from '../parts/admin-projects.tsx'
import { Layout } from '../parts/layout.tsx'
import { Problem } from '../parts/problem.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { atATime, client } from '../session.ts'
import { useListing } from '../use-listing.ts'
import { useSession } from '../use-session.ts'

const PAGE = 100

/** Projects and keys: created, renamed, removed. */
export function AdminView() {
  const { session, failure } = useSession()
  return (
    <Layout title="Projects and keys">
      {failure !== undefined && <Problem failure={failure} retry={() => location.reload()} />}
      {!session && failure === undefined && <Waiting />}
      {session && !session.isAdmin && (
        <div class="empty">
          <h1>Projects and keys</h1>
          <p>This page requires a key for the whole service. The operator creates one:</p>
          <p>
            <code>npx proofsheet key create --admin</code>
          </p>
        </div>
      )}
      {session?.isAdmin && <Administration />}
    </Layout>
  )
}

function Administration() {
  const projects = useListing(
    'projects to administrate',
    () => client.listProjects({ limit: atATime(PAGE) }),
    () => undefined,
  )
  useEffect(() => {
    if (!projects.complete) projects.more()
  }, [projects, projects.items.length])
  return (
    <div class="admin">
      <h1>Projects and keys</h1>
      <AdminProjects projects={projects} />
      <AdminKeys projects={projects.items} />
    </div>
  )
}
