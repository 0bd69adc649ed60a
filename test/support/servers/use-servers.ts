import { afterAll, beforeAll, inject, vi } from 'vitest'
import { addressOf, createDatabase, startPostgres, type TestPostgres } from './postgres.ts'
import { S3_CREDENTIALS, startS3, type TestS3 } from './s3.ts'
import type { PostgresAddress, SharedPostgres } from './shared-postgres.ts'

// Servers for a file of tests: up before the first test. Those that are its own are gone after the last.

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

/** Another server to run the suites of the store and the queue against, given by someone who may create databases there. */
const OTHER = process.env['TEST_DATABASE_URL']

/** Databases there, or on the server that all share. A pooler may be in between. */
export function useDatabases(): Pick<SharedPostgres, 'newDatabase' | 'newEmptyDatabase'> {
  if (!OTHER) return usePostgres()
  const newEmptyDatabase = () => createDatabase(OTHER)
  return { newDatabase: newEmptyDatabase, newEmptyDatabase }
}

/** For who stops it, or kills it. */
export function useOwnPostgres(): TestPostgres {
  return useServer(() => startPostgres({ flags: ['fsync=off'] }))
}

/** With its credentials in the environment, where the service looks for them. */
export function useS3(): TestS3 {
  beforeAll(() => stubCredentials())
  afterAll(() => void vi.unstubAllEnvs())
  return useServer(startS3)
}

export function stubCredentials(): void {
  for (const [name, value] of Object.entries(S3_CREDENTIALS)) vi.stubEnv(name, value)
}

/** Up before the first test of the file, closed after its last. */
export function useServer<T extends { close(): Promise<void> }>(start: () => Promise<T>): T {
  let server: T | undefined
  beforeAll(async () => {
    server = await start()
  })
  afterAll(() => server?.close())
  // Stands for the server, which is not there yet while tests are only being collected.
  return new Proxy({} as T, {
    get: (_, name) => Reflect.get(server as T, name),
    set: (_, name, value) => Reflect.set(server as T, name, value),
  })
}
