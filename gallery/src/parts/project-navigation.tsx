import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { toCapture, toPages, toRoots, toSchedules, toTemplates, toWebhooks } from '../addresses.ts'
import { client } from '../session.ts'
import { useAnswer } from '../use-answer.ts'
import { mayWrite, useSession } from '../use-session.ts'
import { UNTITLED } from '../words.ts'

/** The places of a project. To add one, add it here, and give its name to `Layout` in its view. */
const PLACES = {
  roots: { label: 'Screenshots', to: toRoots },
  pages: { label: 'Pages', to: toPages },
  templates: { label: 'Templates', to: toTemplates },
  schedules: { label: 'Schedules', to: toSchedules },
  webhooks: { label: 'Webhooks', to: toWebhooks },
} as const satisfies Record<string, { label: string; to: (projectId: string) => string }>

export type Place = keyof typeof PLACES | 'capture'

/** The name of the project and the links to its places. On a narrow screen the links scroll sideways. */
export function ProjectNavigation({ projectId, place }: { projectId: string; place: Place | undefined }) {
  const { value } = useAnswer(`project ${projectId}`, (signal) => client.getProject(projectId, { signal }))
  const { session } = useSession()
  const places = useRef<HTMLSpanElement>(null)
  useLayoutEffect(() => {
    const current = places.current?.querySelector<HTMLElement>('[aria-current]')
    if (current && places.current) places.current.scrollLeft = current.offsetLeft - places.current.offsetLeft
  }, [place])
  return (
    <nav class="project" aria-label="Project">
      <a class="name" dir="auto" href={toRoots(projectId)}>
        {value ? value.name || UNTITLED : '…'}
      </a>
      <span class="tabs">
        <span class="places" ref={places}>
          {Object.entries(PLACES).map(
            ([name, { label, to }]) =>
              // A key that may only read does not see webhooks.
              (name !== 'webhooks' || !session || mayWrite(session, projectId)) && (
                <Tab key={name} href={to(projectId)} current={place === name}>
                  {label}
                </Tab>
              ),
          )}
        </span>
        <Tab href={toCapture(projectId)} current={place === 'capture'} primary>
          New screenshots
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
