import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { toCapture, toPages, toProjects, toRoots } from '../addresses.ts'
import { ASKS_FOR_KEY, BASE, client, forgetKey, hasKey } from '../session.ts'
import { useAnswer } from '../use-answer.ts'
import { UNTITLED } from '../words.ts'

/** The layout of every view: the bar at the top, and the content. */
export function Layout({
  title,
  projectId,
  tab,
  children,
}: {
  title: string
  projectId?: string
  tab?: 'roots' | 'pages' | 'capture'
  children: ComponentChildren
}) {
  useEffect(() => {
    document.title = title === '' ? 'proofsheet' : `${title} · proofsheet`
  }, [title])
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
        {projectId !== undefined && <ProjectNavigation projectId={projectId} tab={tab} />}
        <nav class="outer" aria-label="Service">
          {/* Only without keys: a link cannot send a key. */}
          {!ASKS_FOR_KEY && (
            <a href={`${BASE}/docs`} target="_blank" rel="noopener">
              API
            </a>
          )}
          {ASKS_FOR_KEY && hasKey() && (
            <button type="button" class="plain" onClick={forgetKey}>
              Leave
            </button>
          )}
        </nav>
      </header>
      <main id="main" tabIndex={-1} aria-label={title || undefined}>
        {children}
      </main>
    </>
  )
}

function ProjectNavigation({ projectId, tab }: { projectId: string; tab: string | undefined }) {
  const { value } = useAnswer(`project ${projectId}`, (signal) => client.getProject(projectId, { signal }))
  return (
    <nav class="project" aria-label="Project">
      <a class="name" dir="auto" href={toRoots(projectId)}>
        {value ? value.name || UNTITLED : '…'}
      </a>
      <span class="tabs">
        <Tab href={toRoots(projectId)} current={tab === 'roots'}>
          Captures
        </Tab>
        <Tab href={toPages(projectId)} current={tab === 'pages'}>
          Pages
        </Tab>
        <Tab href={toCapture(projectId)} current={tab === 'capture'} primary>
          New capture
        </Tab>
      </span>
    </nav>
  )
}

function Tab({
  href,
  current,
  primary = false,
  children,
}: {
  href: string
  current: boolean
  primary?: boolean
  children: ComponentChildren
}) {
  return (
    <a href={href} class={primary ? 'tab new' : 'tab'} aria-current={current ? 'page' : undefined}>
      {children}
    </a>
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
