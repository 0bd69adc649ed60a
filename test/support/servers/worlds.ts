import type { RootResult } from '../../../src/contract/results.ts'
import { SECRET_KEYS } from './keys.ts'
import { S3_CREDENTIALS, type TestS3 } from './s3.ts'
import type { SharedPostgres } from './shared-postgres.ts'

/** The environment of a service or a command: a new database and an empty place in the bucket. */
export async function newWorld(postgres: Pick<SharedPostgres, 'newDatabase'>, s3: TestS3) {
  return {
    DATABASE_URL: await postgres.newDatabase(),
    IMAGES_URL: s3.newPlace(),
    SECRET_KEYS,
    ...S3_CREDENTIALS,
  }
}

/** Both worlds, by name; each call creates an empty one. The embedded one only lacks its folder. */
export function bothWorlds(
  postgres: Pick<SharedPostgres, 'newDatabase'>,
  s3: TestS3,
): [string, () => Promise<Record<string, string>>][] {
  return [
    ['SQLite and a folder', async () => ({})],
    ['PostgreSQL and S3', () => newWorld(postgres, s3)],
  ]
}

/** An answer as text without the picture URLs, the only part in which two worlds may differ. */
export function withoutAddresses(answer: string): string {
  const roots = JSON.parse(answer) as RootResult[]
  const cut = answer.replaceAll(/"(data|preview)":"[^"]*"/g, '"$1":"…"')
  // Exactly this many.
  const jobs = roots.flatMap((root) => root.jobs).length
  if ((cut.match(/"…"/g) ?? []).length !== 2 * jobs) throw new Error('addresses are missing')
  return cut
}
