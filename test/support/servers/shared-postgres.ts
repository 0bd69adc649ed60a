import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'
import { openPostgresStore } from '../../../src/store/postgres/postgres.ts'
import { startPostgres, type TestPostgres } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Returns the server that the tests share, as `PostgresAddress`. */
    sharedPostgres: string
  }
}

/** A server that many files of tests use together: no test stops it, and each has its own databases. */
export interface SharedPostgres {
  readonly port: number
  /** A new database with the empty tables of a store. */
  newDatabase(): Promise<string>
  /** A new database without tables: the first store that opens it makes them. */
  newEmptyDatabase(): Promise<string>
}

export interface PostgresAddress {
  readonly port: number
  /** A database with the tables of a store, to copy. */
  readonly tables: string
}

/** This server is never restarted: nothing must survive it, so little is written ahead. */
const FLAGS = [
  ...['fsync=off', 'full_page_writes=off', 'wal_level=minimal', 'max_wal_senders=0', 'max_wal_size=64MB'],
  // Autovacuum would visit each of the hundreds of databases every minute.
  'autovacuum=off',
  // More connections than all simultaneous files open.
  'max_connections=400',
]

/** Before all tests: the first test that needs the server starts it, so that tests without one do not wait for it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  let started: ReturnType<typeof startShared> | undefined
  const door = createServer((_request, answer) => {
    started ??= startShared()
    started.then(
      ({ address }) => answer.end(JSON.stringify(address)),
      (error: Error) => answer.writeHead(500).end(error.message),
    )
  })
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve))
  project.provide('sharedPostgres', `http://127.0.0.1:${(door.address() as AddressInfo).port}`)
  return async () => {
    door.close()
    const shared = await started?.catch(() => undefined)
    await shared?.server.close()
  }
}

async function startShared(): Promise<{ server: TestPostgres; address: PostgresAddress }> {
  const server = await startPostgres({ flags: FLAGS })
  const tables = await server.newDatabase()
  const store = await openPostgresStore(tables, { connections: 2, waitMs: 60_000, statementMs: 60_000 })
  await store.close()
  return { server, address: { port: server.port, tables } }
}
