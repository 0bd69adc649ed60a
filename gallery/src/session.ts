import { type Client, createClient } from '../../src/client/client.ts'

const KEY = 'proofsheet-key'

/** Where the service answers, without a slash at the end: empty, or the path that a proxy puts before it. */
export const BASE: string = new URL(document.baseURI).pathname.replace(/\/$/, '')

/** Whether the service asks for keys at all. */
export const ASKS_FOR_KEY: boolean = said('auth') === 'keys'

/** Why nothing could be captured when the page was loaded; empty where it could. */
export const NO_BROWSER: string = said('no-browser') ?? ''

const PAGE_LIMIT = Number(said('page-limit')) || 100

export const client: Client = openClient()

/** As many at a time, or what the service allows. */
export function atATime(count: number): number {
  return Math.min(count, PAGE_LIMIT)
}

export function hasKey(): boolean {
  return storage()?.getItem(KEY) != null
}

/** Kept for this tab and until it is closed; it is sent in a header and nowhere else. Answers whether it could be. */
export function keepKey(key: string): boolean {
  const kept = storage()
  kept?.setItem(KEY, key)
  if (kept) location.reload()
  return kept !== undefined
}

export function forgetKey(): void {
  storage()?.removeItem(KEY)
  location.reload()
}

/** Whether this key opens anything. */
export async function tryKey(key: string): Promise<void> {
  for await (const _ of createClient({ server: BASE, key }).listProjects({ limit: 1 })) return
}

function openClient(): Client {
  const key = ASKS_FOR_KEY ? (storage()?.getItem(KEY) ?? null) : null
  return createClient({ server: BASE, ...(key !== null && { key }) })
}

/** Browsers that are told to keep nothing throw where they are asked for it. */
function storage(): Storage | undefined {
  try {
    return sessionStorage
  } catch {
    return undefined
  }
}

/** What the service filled into the document. */
function said(name: string): string | undefined {
  return document.querySelector<HTMLMetaElement>(`meta[name=proofsheet-${name}]`)?.content
}
