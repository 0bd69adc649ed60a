import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'
import { startPostgres, type TestPostgres } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers the port of the server that the tests share. */
    sharedPostgres: string
  }
}

/** A server that many files of tests use at a time: nobody stops it, and each has databases of its own. */
export type SharedPostgres = Pick<TestPostgres, 'port' | 'newDatabase'>

/** More than all files that run at a time open. */
const CONNECTIONS = 400

/** Before any test: whoever asks first starts the server, so that tests without one do not wait for it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  let server: Promise<TestPostgres> | undefined
  const door = createServer((_request, answer) => {
    // No test cuts the power: what was written outlives a kill without `fsync`, too.
    server ??= startPostgres({ flags: ['fsync=off', `max_connections=${CONNECTIONS}`] })
    server.then(
      ({ port }) => answer.end(String(port)),
      (error: Error) => answer.writeHead(500).end(error.message),
    )
  })
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve))
  project.provide('sharedPostgres', `http://127.0.0.1:${(door.address() as AddressInfo).port}`)
  return async () => {
    door.close()
    const started = await server?.catch(() => undefined)
    await started?.close()
  }
}
