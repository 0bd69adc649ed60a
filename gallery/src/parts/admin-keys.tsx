import { useEffect, useState } from 'preact/hooks'
import type { Key, KeyScope, NewKey } from '../../../src/contract/access.ts'
import type { Project } from '../../../src/contract/browsing.ts'
import { SCOPE_WORDS } from '../access-words.ts'
import { MistakeList, SelectInput, TextInput } from '../form/inputs.tsx'
import { placeAt, useSending } from '../form/use-sending.ts'
import { focusMain } from '../navigation.ts'
import { ASKS_FOR_KEY, atATime, client } from '../session.ts'
import { useAct } from '../use-act.ts'
import { useListing } from '../use-listing.ts'
import { day, shortMoment, UNTITLED } from '../words.ts'
import { Confirm } from './confirm.tsx'
import { Once } from './once.tsx'
import { Problem } from './problem.tsx'
import { Waiting } from './waiting.tsx'

const PAGE = 100
/** Instead of a project: keys for the whole service. */
const WHOLE = ''

export function AdminKeys({ projects }: { projects: readonly Project[] }) {
  const keys = useListing(
    'keys',
    () => client.listKeys({ limit: atATime(PAGE) }),
    () => undefined,
  )
  const [made, setMade] = useState<NewKey>()
  useEffect(() => {
    if (!keys.complete) keys.more()
  }, [keys, keys.items.length])
  const nameOf = (id: string | undefined) =>
    id === undefined
      ? 'The whole service'
      : projects.find(({ projectId }) => projectId === id)?.name || UNTITLED
  return (
    <section aria-labelledby="keys">
      <h2 id="keys">Keys</h2>
      {!ASKS_FOR_KEY && <p class="notice">This service requires no key. Keys are required with AUTH=keys.</p>}
      <ul>
        {keys.items.map((key) => (
          <KeyRow key={key.keyId} of={key} opens={nameOf(key.projectId)} onChanged={() => keys.renew()} />
        ))}
      </ul>
      {keys.failure !== undefined && <Problem failure={keys.failure} retry={() => keys.retry()} />}
      {keys.growing && <Waiting />}
      {made && (
        <Once
          title={`The new key for ${nameOf(made.projectId)}`}
          text={made.key}
          onDone={() => setMade(undefined)}
        >
          It is not shown again.
        </Once>
      )}
      <NewKeyForm
        projects={projects}
        onMade={(next) => {
          setMade(next)
          void keys.renew()
        }}
      />
    </section>
  )
}

function NewKeyForm({ projects, onMade }: { projects: readonly Project[]; onMade: (key: NewKey) => void }) {
  const [chosen, setChosen] = useState<string>()
  const [scope, setScope] = useState<KeyScope>('read')
  const [label, setLabel] = useState('')
  const projectId = chosen ?? projects[0]?.projectId ?? WHOLE
  const isWhole = projectId === WHOLE
  const { busy, mistakes, submit, element } = useSending(
    async () => {
      const opens = isWhole ? { scope: 'admin' as const } : { scope, projectId }
      onMade(await client.createKey({ ...opens, label: label.trim() }))
      setLabel('')
    },
    (told) =>
      placeAt(
        { label: ['keyLabel', 'The label'], projectId: ['keyProject', 'This'], scope: ['keyScope', 'This'] },
        told,
      ),
  )
  return (
    <form ref={element} class="one-line" onSubmit={submit} noValidate>
      <SelectInput
        name="keyProject"
        label="New key for"
        value={projectId}
        choices={[
          ...projects.map((project) => [project.projectId, project.name || UNTITLED] as const),
          [WHOLE, 'The whole service'],
        ]}
        onChoose={setChosen}
        mistakes={mistakes['keyProject']}
      />
      <SelectInput
        name="keyScope"
        label="Access"
        value={isWhole ? 'admin' : scope}
        choices={
          isWhole
            ? [['admin', SCOPE_WORDS.admin]]
            : (['read', 'write'] as const).map((each) => [each, SCOPE_WORDS[each]] as const)
        }
        onChoose={(value) => setScope(value as KeyScope)}
        mistakes={mistakes['keyScope']}
      />
      <TextInput
        name="keyLabel"
        label="Label"
        hint="the purpose of the key"
        placeholder="build server"
        value={label}
        onText={setLabel}
        mistakes={mistakes['keyLabel']}
      />
      <button type="submit" aria-disabled={busy}>
        Create the key
      </button>
      <MistakeList place="form" mistakes={mistakes['form']} />
    </form>
  )
}

function KeyRow({ of: key, opens, onChanged }: { of: Key; opens: string; onChanged: () => Promise<void> }) {
  const { keyId, scope, label, created, revoked } = key
  const { busy, said, act } = useAct()
  const revoke = () =>
    act(async () => {
      await client.revokeKey(keyId)
      await onChanged()
      focusMain()
    })
  return (
    <li class="key-row">
      <div>
        <p>
          <strong dir="auto">{label || opens}</strong>{' '}
          <span class="soft">
            {label !== '' && <span dir="auto">· {opens} </span>}· {SCOPE_WORDS[scope]}
          </span>
        </p>
        <p class="soft">
          key {keyId} · since {day(created)}
        </p>
        <p class="wrong said" role="status">
          {said}
        </p>
      </div>
      {revoked === undefined ? (
        <div class="actions">
          <Confirm
            label="Revoke"
            question="Revoke it? Clients that use it are refused from now on."
            yes="Revoke it"
            busy={busy}
            onYes={revoke}
          />
        </div>
      ) : (
        <span class="state cancelled">revoked {shortMoment(revoked)}</span>
      )}
    </li>
  )
}
