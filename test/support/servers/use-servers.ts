import { afterAll, beforeAll, inject, vi } from 'vitest'
import { addressOf, createDatabase, startPostgres, type TestPostgres } from './postgres.ts'
import { S3_CREDENTIALS, startS3, type TestS3 } from './s3.ts'
import type { PostgresAddress, SharedPostgres } from './shared-postgres.ts'

// Servers for a file of tests: started before the first test. A file's own servers are closed after the last.

export function usePostgres(): SharedPostgres {
  return useServer(async () => {
    const response = await fetch(inject('sharedPostgres'))
    const text = await response.text()
    if (!response.ok) throw new Error(`PostgreSQL did not start: ${text}`)
    const { port, tables } = JSON.parse(text) as PostgresAddress
    const address = addressOf(port)
    return {
      port,
      newDatabase: () => createDatabase(address, tables),
      newEmptyDatabase: () => createDatabase(address),
      close: async () => {},
    }
  })
}

/** Another server for the suites of the store and the queue, on which databases may be created. */
const OTHER = process.env['TEST_DATABASE_URL']

/** Databases there, or on the shared server. A pooler may be in between. */
export function useDatabases(): Pick<SharedPostgres, 'newDatabase' | 'newEmptyDatabase'> {
  if (!OTHER) return usePostgres()
  const newEmptyDatabase = () => createDatabase(OTHER)
  return { newDatabase: newEmptyDatabase, newEmptyDatabase }
}

/** For tests that stop or kill it. */
export function useOwnPostgres(): TestPostgres {
  return useServer(() => startPostgres({ flags: ['fsync=off'] }))
}

/** With its credentials in the environment, as for the service. */
export function useS3(): TestS3 {
  beforeAll(() => stubCredentials())
  afterAll(() => void vi.unstubAllEnvs())
  return useServer(startS3)
}

export function stubCredentials(): void {
  for (const [name, value] of Object.entries(S3_CREDENTIALS)) vi.stubEnv(name, value)
}

/** Started before the first test of the file, closed after its last. */
export function useServer<T extends { close(): Promise<void> }>(start: () => Promise<T>): T {
  let server: T | undefined
  beforeAll(async () => {
    server = await start()
  })
  afterAll(() => server?.close())
  // Stands for the server, which does not exist while tests are being collected.
  return new Proxy({} as T, {
    get: (_, name) => Reflect.get(server as T, name),
    set: (_, name, value) => Reflect.set(server as T, name, value),
  })
}
