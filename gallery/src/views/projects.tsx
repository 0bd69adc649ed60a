import { useEffect } from 'preact/hooks'
import type { Project } from '../../../src/contract/browsing.ts'
import { toRoots } from '../addresses.ts'
import { go } from '../navigation.ts'
import { Page } from '../parts/page.tsx'
import { Preview } from '../parts/preview.tsx'
import { Problem } from '../parts/problem.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { client } from '../session.ts'
import { useAnswer } from '../use-answer.ts'
import { useListing } from '../use-listing.ts'
import { count, day } from '../words.ts'

const PAGE = 50

export function ProjectsView() {
  const projects = useListing(
    'projects',
    () => client.listProjects({ limit: PAGE }),
    () => undefined,
  )
  const only = projects.complete && projects.items.length === 1 ? projects.items[0] : undefined
  useEffect(() => {
    // Nothing to choose from: straight in.
    if (only) go(toRoots(only.projectId), { replace: true })
    else if (!projects.complete) projects.more()
  }, [only, projects.items.length])
  return (
    <Page title="Projects">
      {projects.failure !== undefined && (
        <Problem failure={projects.failure} retry={() => projects.retry()} />
      )}
      {projects.items.length > 1 && (
        <>
          <h1>Projects</h1>
          <ul class="projects">
            {projects.items.map((project) => (
              <li key={project.projectId}>
                <ProjectCard project={project} />
              </li>
            ))}
          </ul>
        </>
      )}
      {projects.reading && projects.items.length === 0 && <Waiting />}
      {projects.complete && projects.items.length === 0 && (
        <div class="empty">
          <h1>There is no project yet</h1>
          <p>
            Make one: <code>npx proofsheet project create --name "My site"</code>
          </p>
        </div>
      )}
    </Page>
  )
}

/** With its newest pictures. */
function ProjectCard({ project: { projectId, name } }: { project: Project }) {
  const { value: newest } = useAnswer(`newest ${projectId}`, async (signal) => {
    for await (const [root] of client.listOverviews(projectId, { limit: 1, signal })) return root ?? null
    return null
  })
  return (
    <a class="project-card" href={toRoots(projectId)}>
      <span class="sheet" aria-hidden="true">
        {newest?.jobs.slice(0, 6).map((job) => (
          <Preview key={job.uuid} job={job} />
        ))}
      </span>
      <strong dir="auto">{name}</strong>
      <span class="soft">
        {newest && `${day(newest.meta.created)} · ${count(newest.counts.done, 'picture')}`}
        {newest === null && 'nothing captured yet'}
      </span>
    </a>
  )
}
