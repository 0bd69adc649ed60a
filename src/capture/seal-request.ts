import { fillIn } from '../contract/ask-again.ts'
import { conceal, hasSecrets, secretsOfPages } from '../contract/options/secrets.ts'
import { CannotOpen, type KeyRing } from '../secrets/key-ring.ts'
import type { CaptureKey, CaptureTask, NewRequest } from '../store/captures.ts'
import { otherWork } from '../work/other-work.ts'
import { type Digested, digestOf, keyedDigestsOf } from './digest.ts'

// The secrets of a page are sealed as one JSON text when the request is accepted, and opened just before the camera needs
// them. Everything between sees options with empty strings in their place.

type Sealed = Pick<NewRequest, 'options' | 'pages' | 'digest' | 'olderDigests'>

/** Pages that are sealed in one go. Each may have 10,000 characters of secrets. */
const AT_ONCE = 20

/** The request as it is stored. A request without secrets stays as it is. */
export async function sealRequest(
  { when, template, by, ...asked }: Digested,
  rootId: string,
  ring: KeyRing,
): Promise<Sealed> {
  const secrets = secretsOfPages(asked.options, asked.pages)
  if (secrets.every((each) => each === undefined) && !hasSecrets(asked.options))
    return { ...asked, digest: digestOf({ ...asked, when }) }
  const [digest, ...olderDigests] = keyedDigestsOf({ ...asked, when, template, by }, ring)
  const pages: Sealed['pages'][number][] = []
  for (const [position, { ownOptions, ...page }] of asked.pages.entries()) {
    if (position % AT_ONCE === 0) await otherWork()
    pages.push({
      ...page,
      ...(ownOptions && { ownOptions: conceal(ownOptions).options }),
      ...(secrets[position] && {
        sealed: ring.seal(JSON.stringify(secrets[position]), placeOf({ rootId, position })),
      }),
    })
  }
  return { options: conceal(asked.options).options, pages, digest, olderDigests }
}

/** The page with its secrets, and the texts that must never be shown. Throws CannotOpen. */
export function openTask(
  { sealed, ...task }: CaptureTask,
  ring: KeyRing,
): { task: CaptureTask; secrets: string[] } {
  if (!hasSecrets(task.options)) return { task, secrets: [] }
  if (sealed === undefined) throw new CannotOpen('They are no longer in the database.')
  const secrets = JSON.parse(ring.open(sealed, placeOf(task)))
  const options = fillIn(task.options, secrets)
  return { task: { ...task, options }, secrets: [...Object.values<string>(secrets), ...basicOf(options)] }
}

/** As a page would write a login into an `Authorization` header. */
function basicOf({ loginParameter: login }: CaptureTask['options']): string[] {
  return login ? [`${login.username.username}:${login.password.password}`] : []
}

function placeOf({ rootId, position }: Pick<CaptureKey, 'rootId' | 'position'>): string {
  return `${rootId} ${position}`
}
