import { useEffect, useRef, useState } from 'preact/hooks'
import type { Project } from '../../../src/contract/browsing.ts'
import { toAdmin, toRoots } from '../addresses.ts'
import { go } from '../navigation.ts'
import { Layout } from '../parts/layout.tsx'
import { Preview, RenewContext } from '../parts/preview.tsx'
import { Problem } from '../parts/problem.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { atATime, client } from '../session.ts'
import { useAnswer } from '../use-answer.ts'
import { useListing } from '../use-listing.ts'
import { useSession } from '../use-session.ts'
import { count, day, number, UNTITLED } from '../words.ts'

const PAGE = 50

export function ProjectsView() {
  const projects = useListing(
    'projects',
    () => client.listProjects({ limit: atATime(PAGE) }),
    () => undefined,
  )
  const { session } = useSession()
  const only = projects.complete && projects.items.length === 1 ? projects.items[0] : undefined
  useEffect(() => {
    // There is only one project: open it.
    if (only) go(toRoots(only.projectId), { replace: true })
    else if (!projects.complete) projects.more()
  }, [only, projects.items.length])
  return (
    <Layout title="Projects">
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
          {session?.isAdmin && (
            <p>
              <a class="primary" href={toAdmin()}>
                Create a project
              </a>
            </p>
          )}
          <p>
            {session?.isAdmin ? 'Or on the command line:' : 'Create one:'}{' '}
            <code>npx proofsheet project create --name "My site"</code>
          </p>
        </div>
      )}
    </Layout>
  )
}

/** A project with its newest pictures. */
function ProjectCard({ project: { projectId, name } }: { project: Project }) {
  const [card, seen] = useSeen()
  const { value: newest, reload } = useAnswer(seen ? `newest ${projectId}` : '', async (signal) => {
    for await (const [root] of client.listOverviews(projectId, { limit: 1, signal })) return root ?? null
    return null
  })
  const { value: whole } = useAnswer(seen ? `project ${projectId}` : '', (signal) =>
    client.getProject(projectId, { signal }),
  )
  return (
    <a ref={card} class="project-card" href={toRoots(projectId)}>
      <span class="sheet" aria-hidden="true">
        <RenewContext.Provider value={reload}>
          {newest?.jobs.slice(0, 6).map((job) => (
            <Preview key={job.uuid} job={job} />
          ))}
        </RenewContext.Provider>
      </span>
      <strong dir="auto">{name || UNTITLED}</strong>
      <span class="soft">
        {newest && day(newest.meta.created)}
        {newest && whole && ` · ${picturesOf(whole)}`}
        {newest === null && 'nothing captured yet'}
      </span>
    </a>
  )
}

/** `12 pictures`, or `12,000+ pictures` if there are more than were counted. */
function picturesOf({ pictures = 0, hasMorePictures }: Project): string {
  return hasMorePictures ? `${number(pictures)}+ pictures` : count(pictures, 'picture')
}

/** Whether the card is, or was, on the screen. Only such cards read their pictures. */
function useSeen(): [{ current: HTMLAnchorElement | null }, boolean] {
  const element = useRef<HTMLAnchorElement>(null)
  const [seen, setSeen] = useState(false)
  useEffect(() => {
    if (!element.current) return
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true)
    })
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [])
  return [element, seen]
}
