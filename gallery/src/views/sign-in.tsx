import type { Key } from '../../../src/contract/access.ts'
import { SCOPE_WORDS } from '../access-words.ts'
import type { Route } from '../addresses.ts'
import { toRoots } from '../addresses.ts'
import { Layout } from '../parts/layout.tsx'
import { Problem } from '../parts/problem.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { ASKS_FOR_KEY, atATime, client, hasKey, signIn, signOut } from '../session.ts'
import { useAct } from '../use-act.ts'
import { useAnswer } from '../use-answer.ts'
import { useSession } from '../use-session.ts'
import { UNTITLED } from '../words.ts'
import { KeyForm, NOT_KEPT } from './key.tsx'

type Props = Pick<Extract<Route, { view: 'sign-in' }>, 'to'>

/** The keys of this device. More can be added: a cookie holds several, and opens pages such as the documentation, too. */
export function SignInView({ to }: Props) {
  const { session, failure } = useSession()
  const isIn = session !== undefined && session.keys.length > 0
  const enter = async (key: string, form: FormData) => {
    const target = to === '' ? {} : { to }
    return (await signIn(key, { ...(form.has('stay') && { stay: true }), ...target })) ? undefined : NOT_KEPT
  }
  return (
    <Layout title={isIn ? 'Signed in' : 'Sign in'}>
      {failure !== undefined && <Problem failure={failure} retry={() => location.reload()} />}
      {!session && failure === undefined && <Waiting />}
      {session && !ASKS_FOR_KEY && <p class="empty">This service requires no key.</p>}
      {isIn && ASKS_FOR_KEY && <SignedIn keys={session.keys} />}
      {session && ASKS_FOR_KEY && (
        <KeyForm title={isIn ? 'Add another key' : 'Sign in'} action="Sign in" isAlone={!isIn} enter={enter}>
          {to === 'docs' && 'The documentation requires a key. '}
          The key is kept in a cookie that no script can read: until the browser is closed, or for thirty days
          if you stay signed in.
        </KeyForm>
      )}
    </Layout>
  )
}

function SignedIn({ keys }: { keys: readonly Key[] }) {
  const { busy, said, act } = useAct()
  return (
    <section class="signed-in">
      <h1>Signed in</h1>
      <p class="soft">{hasKey() ? 'In this tab, until it is closed.' : 'On this device.'}</p>
      <ul>
        {keys.map((key) => (
          <li key={key.keyId} class="key-row">
            <div>
              <p>
                <Opens projectId={key.projectId} /> <span class="soft">· {SCOPE_WORDS[key.scope]}</span>
              </p>
              <p class="soft">
                {key.label !== '' && <span dir="auto">{key.label} · </span>}
                key {key.keyId}
              </p>
            </div>
            <button type="button" aria-disabled={busy} onClick={() => act(() => signOut(key.keyId))}>
              Sign out
            </button>
          </li>
        ))}
      </ul>
      {keys.length > 1 && (
        <p>
          <button type="button" aria-disabled={busy} onClick={() => act(() => signOut())}>
            Sign out of everything
          </button>
        </p>
      )}
      <p class="soft said" role="status">
        {said}
      </p>
    </section>
  )
}

/** The project, or the whole service, that a key opens. */
function Opens({ projectId }: { projectId: string | undefined }) {
  const { value } = useAnswer(projectId === undefined ? '' : 'names of projects', async (signal) => {
    const names = new Map<string, string>()
    for await (const page of client.listProjects({ limit: atATime(100), signal })) {
      for (const { projectId: id, name } of page) names.set(id, name)
      break
    }
    return names
  })
  if (projectId === undefined) return <strong>The whole service</strong>
  return (
    <a href={toRoots(projectId)}>
      <strong dir="auto">{value?.get(projectId) || UNTITLED}</strong>
    </a>
  )
}
