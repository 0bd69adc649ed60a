import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { Route } from './addresses.ts'
import { focusMain, keepScroll, useNavigation } from './navigation.ts'
import { Layout } from './parts/layout.tsx'
import { lazyView } from './parts/lazily.tsx'
import { Problem } from './parts/problem.tsx'
import { Waiting } from './parts/waiting.tsx'
import { ASKS_FOR_KEY, hasKey } from './session.ts'
import { useSession } from './use-session.ts'
import { CaptureView } from './views/capture.tsx'
import { HistoryView } from './views/history.tsx'
import { KeyView } from './views/key.tsx'
import { NothingView } from './views/nothing.tsx'
import { PagesView } from './views/pages.tsx'
import { ProjectsView } from './views/projects.tsx'
import { RootView } from './views/root.tsx'
import { RootsView } from './views/roots.tsx'
import { TemplateView } from './views/template.tsx'
import { TemplatesView } from './views/templates.tsx'

// Loaded when they are shown.
const ScheduleView = lazyView(async () => (await import('./views/schedule.tsx')).ScheduleView)
const SchedulesView = lazyView(async () => (await import('./views/schedules.tsx')).SchedulesView)
const SignInView = lazyView(async () => (await import('./views/sign-in.tsx')).SignInView)
const AdminView = lazyView(async () => (await import('./views/admin.tsx')).AdminView)
const WebhookView = lazyView(async () => (await import('./views/webhook.tsx')).WebhookView)
const WebhooksView = lazyView(async () => (await import('./views/webhooks.tsx')).WebhooksView)

export function App() {
  const route = useNavigation()
  const { session, failure } = useSession()
  // A key of this tab is known at once. Only the service knows whether the browser has a cookie.
  const isOpen = !ASKS_FOR_KEY || hasKey() || (session !== undefined && session.keys.length > 0)
  const name = nameOf(route)
  useLayoutEffect(() => keepScroll(), [name, listOf(route)])
  const arrived = useRef(name)
  useEffect(() => {
    if (arrived.current === name) return
    arrived.current = name
    focusMain()
  }, [name])
  if (route.view === 'sign-in') return <SignInView {...route} />
  if (isOpen) return <View key={name} route={route} />
  if (session) return <KeyView />
  return (
    <Layout title="">
      {failure === undefined ? <Waiting /> : <Problem failure={failure} retry={() => location.reload()} />}
    </Layout>
  )
}

/** Identifies the view. The same view with something else opened in it has the same name. */
function nameOf(route: Route): string {
  switch (route.view) {
    case 'root':
      return `root ${route.projectId} ${route.rootId}`
    case 'history':
      return `history ${route.projectId} ${route.url}`
    case 'template':
      return `template ${route.projectId} ${route.templateId}`
    case 'schedule':
      return `schedule ${route.projectId} ${route.scheduleId}`
    case 'webhook':
      return `webhook ${route.projectId} ${route.webhookId}`
    case 'roots':
    case 'pages':
    case 'templates':
    case 'schedules':
    case 'webhooks':
    case 'capture':
      return `${route.view} ${route.projectId}`
    default:
      return route.view
  }
}

/** Identifies the list of a route. Another list begins at its top. */
function listOf(route: Route): string {
  if (route.view === 'roots') return JSON.stringify(route.filters)
  return route.view === 'pages' ? route.q : ''
}

function View({ route }: { route: Exclude<Route, { view: 'sign-in' }> }) {
  switch (route.view) {
    case 'projects':
      return <ProjectsView />
    case 'roots':
      return <RootsView {...route} />
    case 'root':
      return <RootView {...route} />
    case 'pages':
      return <PagesView {...route} />
    case 'history':
      return <HistoryView {...route} />
    case 'capture':
      return <CaptureView {...route} />
    case 'templates':
      return <TemplatesView {...route} />
    case 'template':
      return <TemplateView {...route} />
    case 'schedules':
      return <SchedulesView {...route} />
    case 'schedule':
      return <ScheduleView {...route} />
    case 'webhooks':
      return <WebhooksView {...route} />
    case 'webhook':
      return <WebhookView {...route} />
    case 'admin':
      return <AdminView />
    case 'nothing':
      return <NothingView />
  }
}
