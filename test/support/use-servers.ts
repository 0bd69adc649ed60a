import { afterAll, beforeAll, vi } from 'vitest'
import { startPostgres, type TestPostgres } from './postgres.ts'
import { S3_CREDENTIALS, startS3, type TestS3 } from './s3.ts'

// Servers that a file of tests shares: up before the first test, gone after the last.

/** No test cuts the power: what was written outlives a kill without `fsync`, too. */
export function usePostgres({ flags = [] }: { flags?: string[] } = {}): TestPostgres {
  return use(() => startPostgres({ flags: ['fsync=off', ...flags] }))
}

/** With its credentials in the environment, where the service looks for them. */
export function useS3(): TestS3 {
  beforeAll(() => stubCredentials())
  afterAll(() => void vi.unstubAllEnvs())
  return use(startS3)
}

export function stubCredentials(): void {
  for (const [name, value] of Object.entries(S3_CREDENTIALS)) vi.stubEnv(name, value)
}

function use<T extends { close(): Promise<void> }>(start: () => Promise<T>): T {
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
