import { type Client, createClient } from '../../src/client/client.ts'

const KEY = 'proofsheet-key'

/** The path before all paths of the service: empty, or a prefix that a proxy adds. Without a slash at its end. */
export const BASE: string = new URL(document.baseURI).pathname.replace(/\/$/, '')

/** Whether the service requires keys. */
export const ASKS_FOR_KEY: boolean = said('auth') === 'keys'

/** Why the service could not capture when this document was loaded. Empty if it could. */
export const NO_BROWSER: string = said('no-browser') ?? ''

const PAGE_LIMIT = Number(said('page-limit')) || 100

export const client: Client = openClient()

/** The size of list pages: the wanted number, or the most that the service allows. */
export function atATime(count: number): number {
  return Math.min(count, PAGE_LIMIT)
}

/** Whether this tab has a key of its own. Without one, the cookie of the browser counts. */
export function hasKey(): boolean {
  return storage()?.getItem(KEY) != null
}

/** Keeps the key until the tab is closed. It is only ever sent in a header. Returns whether it could be kept. */
export function keepKey(key: string): boolean {
  const kept = storage()
  kept?.setItem(KEY, key)
  if (kept) location.reload()
  return kept !== undefined
}

/** Forgets the key of this tab. If it has none: one key of the cookie, or all of them. */
export async function signOut(keyId?: string): Promise<void> {
  if (hasKey()) storage()?.removeItem(KEY)
  else await client.signOut(keyId)
  location.reload()
}

/**
 * Keeps the key in the cookie of the browser, beside those that it has; that of this tab as well. Then opens a page of the
 * service. Throws if the service does not accept the key. Returns false if the browser does not keep the cookie.
 */
export async function signIn(
  key: string,
  { stay, to }: { stay?: true | undefined; to?: string },
): Promise<boolean> {
  const withCookie = createClient({ server: BASE })
  // Signing in without `stay` does not shorten a session that stays.
  const asked = stay ? { stay } : {}
  await withCookie.signIn({ key, ...asked })
  const ofTab = storage()?.getItem(KEY)
  if (ofTab != null && ofTab !== key) await withCookie.signIn({ key: ofTab, ...asked }).catch(() => {})
  if ((await withCookie.getSession()).keys.length === 0) return false
  storage()?.removeItem(KEY)
  if (to === undefined) location.reload()
  else location.assign(`${BASE}/${to}`)
  return true
}

/** Throws if the service does not accept the key. */
export async function tryKey(key: string): Promise<void> {
  for await (const _ of createClient({ server: BASE, key }).listProjects({ limit: 1 })) return
}

function openClient(): Client {
  const key = ASKS_FOR_KEY ? (storage()?.getItem(KEY) ?? null) : null
  return createClient({ server: BASE, ...(key !== null && { key }) })
}

/** A browser that may store nothing throws here. */
export function storage(): Storage | undefined {
  try {
    return sessionStorage
  } catch {
    return undefined
  }
}

/** Values that the service has written into the document. */
function said(name: string): string | undefined {
  return document.querySelector<HTMLMetaElement>(`meta[name=proofsheet-${name}]`)?.content
}
