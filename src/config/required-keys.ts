import type { DatabaseLocation, ImagesLocation } from './locations.ts'

interface Given {
  readonly database: DatabaseLocation
  readonly images: ImagesLocation
  readonly signingKeys: string | undefined
  readonly secretKeys: string | undefined
}

/** Instances that share a database must share their keys. Returns a sentence for each list of keys that is missing. */
export function findMissingKeys(
  { database, images, signingKeys, secretKeys }: Given,
  { serving, capturing }: { serving: boolean; capturing: boolean },
): string[] {
  if (database.kind !== 'postgres') return []
  const missing: string[] = []
  if (serving && images.kind === 'folder' && signingKeys === undefined)
    missing.push(`SIGNING_KEYS is required with PostgreSQL and pictures in a folder: ${HOW}`)
  if (capturing && secretKeys === undefined) missing.push(`SECRET_KEYS is required with PostgreSQL: ${HOW}`)
  return missing
}

const HOW =
  'all instances must use the same keys. Make a key once and give it to each instance: echo k1:$(openssl rand -base64 32)'
