import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Project } from '../../../src/contract/browsing.ts'
import { toRoots } from '../addresses.ts'
import { MistakeList, TextInput } from '../form/inputs.tsx'
import { placeAt, useSending } from '../form/use-sending.ts'
import type { Listing } from '../listing.ts'
import { focusMain } from '../navigation.ts'
import { client } from '../session.ts'
import { useAct } from '../use-act.ts'
import { count, day, UNTITLED } from '../words.ts'
import { Confirm } from './confirm.tsx'
import { Problem } from './problem.tsx'
import { Waiting } from './waiting.tsx'

export function AdminProjects({ projects }: { projects: Listing<Project> }) {
  const [name, setName] = useState('')
  const { busy, mistakes, submit, element } = useSending(
    async () => {
      await client.createProject({ name: name.trim() })
      setName('')
      await projects.renew()
    },
    (told) => placeAt({ name: ['projectName', 'The name'] }, told),
  )
  return (
    <section aria-labelledby="projects">
      <h2 id="projects">{projects.complete ? count(projects.items.length, 'project') : 'Projects'}</h2>
      <ul>
        {projects.items.map((project) => (
          <ProjectRow key={project.projectId} project={project} onChanged={() => projects.renew()} />
        ))}
      </ul>
      {projects.failure !== undefined && (
        <Problem failure={projects.failure} retry={() => projects.retry()} />
      )}
      {projects.growing && <Waiting />}
      <form ref={element} class="one-line" onSubmit={submit} noValidate>
        <TextInput
          name="projectName"
          label="New project"
          placeholder="My site"
          value={name}
          onText={setName}
          mistakes={mistakes['projectName']}
        />
        <button type="submit" aria-disabled={busy}>
          Create the project
        </button>
        <MistakeList place="form" mistakes={mistakes['form']} />
      </form>
    </section>
  )
}

function ProjectRow({ project, onChanged }: { project: Project; onChanged: () => Promise<void> }) {
  const { projectId, name, meta } = project
  const [isRenaming, setRenaming] = useState(false)
  const [typed, setTyped] = useState('')
  const { busy, said, act } = useAct()
  const button = useRef<HTMLButtonElement>(null)
  const wasRenaming = useRef(false)
  useLayoutEffect(() => {
    if (wasRenaming.current && !isRenaming) button.current?.focus()
    wasRenaming.current = isRenaming
  }, [isRenaming])
  const rename = (next: string) =>
    act(async () => {
      await client.renameProject(projectId, next)
      setRenaming(false)
      await onChanged()
    })
  const remove = () =>
    act(async () => {
      await client.removeProject(projectId)
      await onChanged()
      focusMain()
    })
  return (
    <li class="key-row">
      <div>
        <p>
          <a href={toRoots(projectId)}>
            <strong dir="auto">{name || UNTITLED}</strong>
          </a>
        </p>
        <p class="soft">
          {projectId} · since {day(meta.created)}
        </p>
        <p class="wrong said" role="status">
          {said}
        </p>
      </div>
      {isRenaming ? (
        <Rename name={name} busy={busy} onName={rename} onEnd={() => setRenaming(false)} />
      ) : (
        <div class="actions">
          <button ref={button} type="button" aria-disabled={busy} onClick={() => setRenaming(true)}>
            Rename
          </button>
          <Confirm
            label="Remove"
            question={`Remove “${name || UNTITLED}” with all its screenshots, templates, schedules, webhooks and keys? This cannot be undone.`}
            yes="Remove it for good"
            isReady={typed.trim() === (name || UNTITLED).trim()}
            busy={busy}
            onYes={remove}
          >
            <TextInput
              name={`name-of-${projectId}`}
              label="Its name"
              hint="type it to confirm"
              value={typed}
              onText={setTyped}
            />
          </Confirm>
        </div>
      )}
    </li>
  )
}

function Rename({
  name,
  busy,
  onName,
  onEnd,
}: {
  name: string
  busy: boolean
  onName: (name: string) => void
  onEnd: () => void
}) {
  const [next, setNext] = useState(name)
  const form = useRef<HTMLFormElement>(null)
  useLayoutEffect(() => form.current?.querySelector('input')?.select(), [])
  return (
    <form
      ref={form}
      class="one-line"
      onSubmit={(event) => {
        event.preventDefault()
        onName(next.trim())
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onEnd()
      }}
    >
      <TextInput name="newName" label="New name" value={next} onText={setNext} />
      <button type="submit" class="primary" aria-disabled={busy}>
        Save
      </button>
      <button type="button" onClick={onEnd}>
        Cancel
      </button>
    </form>
  )
}
