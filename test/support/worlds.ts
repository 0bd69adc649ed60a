import type { RootResult } from '../../src/contract/results.ts'
import { startPostgres, type TestPostgres } from './postgres.ts'
import { S3_CREDENTIALS, startS3, type TestS3 } from './s3.ts'

/** PostgreSQL and S3, as a team that outgrew one machine has them. */
export interface Servers {
  readonly postgres: TestPostgres
  readonly s3: TestS3
  /** An empty database and an empty place in the bucket; for the environment of a service or a command. */
  newWorld(): Promise<{ DATABASE_URL: string; IMAGES_URL: string } & typeof S3_CREDENTIALS>
  close(): Promise<void>
}

export async function startServers(): Promise<Servers> {
  const [postgres, s3] = await Promise.all([startPostgres(), startS3()])
  return {
    postgres,
    s3,
    newWorld: async () => ({
      DATABASE_URL: await postgres.newDatabase(),
      IMAGES_URL: s3.newPlace(),
      ...S3_CREDENTIALS,
    }),
    close: async () => {
      await Promise.all([postgres.close(), s3.close()])
    },
  }
}

/** An answer as text, with the signed addresses cut out: all that may differ between two worlds. */
export function withoutAddresses(answer: string): string {
  const roots = JSON.parse(answer) as RootResult[]
  const cut = answer.replaceAll(/"(data|preview)":"[^"]*"/g, '"$1":"…"')
  // As many as there are, and no more.
  const jobs = roots.flatMap((root) => root.jobs).length
  if (cut.match(/"…"/g)?.length !== (jobs === 0 ? undefined : 2 * jobs))
    throw new Error('addresses are missing')
  return cut
}
