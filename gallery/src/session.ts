import { type Client, createClient } from '../../src/client/client.ts'

const KEY = 'proofsheet-key'

/** Where the service answers, without a slash at the end: empty, or the path that a proxy puts before it. */
export const BASE: string = new URL(document.baseURI).pathname.replace(/\/$/, '')

/** Whether the service asks for keys at all. */
export const ASKS_FOR_KEY: boolean =
  document.querySelector<HTMLMetaElement>('meta[name=proofsheet-auth]')?.content === 'keys'

export const client: Client = openClient()

export function hasKey(): boolean {
  return sessionStorage.getItem(KEY) !== null
}

/** Kept for this tab and until it is closed; it is sent in a header and nowhere else. */
export function keepKey(key: string): void {
  sessionStorage.setItem(KEY, key)
  location.reload()
}

export function forgetKey(): void {
  sessionStorage.removeItem(KEY)
  location.reload()
}

/** Whether this key opens anything. */
export async function tryKey(key: string): Promise<void> {
  for await (const _ of createClient({ server: BASE, key }).listProjects({ limit: 1 })) return
}

function openClient(): Client {
  const key = ASKS_FOR_KEY ? sessionStorage.getItem(KEY) : null
  return createClient({ server: BASE, ...(key !== null && { key }) })
}
