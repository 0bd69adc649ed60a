import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { toAdmin, toProjects, toSignIn } from '../addresses.ts'
import { ASKS_FOR_KEY, BASE } from '../session.ts'
import { useSession } from '../use-session.ts'
import { type Place, ProjectNavigation } from './project-navigation.tsx'

/** The layout of every view: the bar at the top, and the content. */
export function Layout({
  title,
  projectId,
  place,
  children,
}: {
  title: string
  projectId?: string
  place?: Place
  children: ComponentChildren
}) {
  useEffect(() => {
    document.title = title === '' ? 'proofsheet' : `${title} · proofsheet`
  }, [title])
  const { session } = useSession()
  const isIn = !ASKS_FOR_KEY || (session !== undefined && session.keys.length > 0)
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="bar">
        <a class="wordmark" href={toProjects()} aria-label="proofsheet: all projects">
          <Mark />
          <span>proofsheet</span>
        </a>
        {projectId !== undefined && <ProjectNavigation projectId={projectId} place={place} />}
        <nav class="outer" aria-label="Service">
          {session?.isAdmin && <a href={toAdmin()}>Admin</a>}
          {isIn && (
            <a href={`${BASE}/docs`} target="_blank" rel="noopener">
              API
            </a>
          )}
          {isIn && ASKS_FOR_KEY && <a href={toSignIn()}>Signed in</a>}
        </nav>
      </header>
      <main id="main" tabIndex={-1} aria-label={title || undefined}>
        {children}
      </main>
    </>
  )
}

/** Four frames, one of them marked. */
function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <g class="frames">
        <rect x="3" y="5" width="12" height="9.5" rx="1.6" />
        <rect x="17.5" y="5" width="12" height="9.5" rx="1.6" />
        <rect x="3" y="17.5" width="12" height="9.5" rx="1.6" />
        <rect x="17.5" y="17.5" width="12" height="9.5" rx="1.6" />
      </g>
      <ellipse class="pencil" cx="23.5" cy="22" rx="8" ry="7" transform="rotate(-12 23.5 22)" />
    </svg>
  )
}
