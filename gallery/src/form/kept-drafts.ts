import { entry, noteInEntry } from '../navigation.ts'
import { storage } from '../session.ts'
import { type Draft, NEW, NOTHING, withoutSecrets } from './draft.ts'

// Forms keep their text, without secrets: the way back leads to the text that was there. Each entry of the browser's history
// names its draft.

const KEY = 'proofsheet-drafts'
const MOST_KEPT = 10

/** Also where the browser stores nothing, until the document is left. */
let kept: Readonly<Record<string, Draft>> | undefined

/** The draft of this entry, and its name. */
export function findDraft(): { name: string; draft: Draft | undefined } {
  const { draft: name } = entry()
  return { name: name ?? newName(), draft: name === undefined ? undefined : all()[name] }
}

/** Not `crypto.randomUUID`: browsers have it only with https. */
export function newName(): string {
  return `${Date.now()}-${Math.random()}`
}

export function keepDraft(name: string, draft: Draft): void {
  if (draft === NEW) return
  const { [name]: _, ...others } = all()
  const newest = [...Object.entries(others), [name, withoutSecrets(draft)] as const].slice(-MOST_KEPT)
  kept = Object.fromEntries(newest)
  try {
    storage()?.setItem(KEY, JSON.stringify(kept))
  } catch {
    // It is too large for the browser. It stays until the document is left.
  }
}

/** Says in the entry which draft belongs to it. */
export function nameDraft(name: string): void {
  if (entry().draft !== name) noteInEntry({ draft: name })
}

function all(): Readonly<Record<string, Draft>> {
  kept ??= readAll()
  return kept
}

function readAll(): Record<string, Draft> {
  try {
    const found = JSON.parse(storage()?.getItem(KEY) ?? '{}') as Record<string, Draft>
    return Object.fromEntries(Object.entries(found).map(([name, draft]) => [name, complete(draft)]))
  } catch {
    return {}
  }
}

/** An earlier version may have kept it, without fields that are there now. */
function complete(draft: Draft): Draft {
  return { ...NOTHING, ...draft, login: { ...NOTHING.login, ...draft.login } }
}
