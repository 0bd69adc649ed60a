import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { Place } from './addresses.ts'
import { keepScroll, useNavigation } from './navigation.ts'
import { ASKS_FOR_KEY, hasKey } from './session.ts'
import { CaptureView } from './views/capture.tsx'
import { HistoryView } from './views/history.tsx'
import { KeyView } from './views/key.tsx'
import { NothingView } from './views/nothing.tsx'
import { PagesView } from './views/pages.tsx'
import { ProjectsView } from './views/projects.tsx'
import { RootView } from './views/root.tsx'
import { RootsView } from './views/roots.tsx'

export function App() {
  const place = useNavigation()
  const locked = ASKS_FOR_KEY && !hasKey()
  const name = nameOf(place)
  useLayoutEffect(() => keepScroll(), [name, listOf(place)])
  const arrived = useRef(name)
  useEffect(() => {
    if (arrived.current === name) return
    arrived.current = name
    // What had the focus is gone with its view; the next one begins here, and says its name.
    document.getElementById('main')?.focus({ preventScroll: true })
  }, [name])
  return locked ? <KeyView /> : <View key={name} place={place} />
}

/** What is another place, and not the same with something else opened in it. */
function nameOf(place: Place): string {
  switch (place.view) {
    case 'root':
      return `root ${place.projectId} ${place.rootId}`
    case 'history':
      return `history ${place.projectId} ${place.url}`
    case 'roots':
    case 'pages':
    case 'capture':
      return `${place.view} ${place.projectId}`
    default:
      return place.view
  }
}

/** What a place lists; another list begins at its top. */
function listOf(place: Place): string {
  if (place.view === 'roots') return JSON.stringify(place.filters)
  return place.view === 'pages' ? place.q : ''
}

function View({ place }: { place: Place }) {
  switch (place.view) {
    case 'projects':
      return <ProjectsView />
    case 'roots':
      return <RootsView {...place} />
    case 'root':
      return <RootView {...place} />
    case 'pages':
      return <PagesView {...place} />
    case 'history':
      return <HistoryView {...place} />
    case 'capture':
      return <CaptureView {...place} />
    case 'nothing':
      return <NothingView />
  }
}
