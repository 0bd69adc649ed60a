import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { openPostgresStore } from '../../src/store/postgres.ts'
import { createDatabase, dropDatabase, startPostgres, type TestPostgres } from '../support/postgres.ts'
import { storeSuite } from './store-suite.ts'

const LIMITS = { connections: 10, waitMs: 5_000, statementMs: 10_000 }

/** Another server to run the suite against, given by someone who may create databases there. */
const OTHER = process.env['TEST_DATABASE_URL']
let server: TestPostgres | undefined
beforeAll(async () => {
  if (!OTHER) server = await startPostgres(['fsync=off'])
})
afterAll(() => server?.close())

const driver = {
  async newPlace() {
    const url = server ? await server.newDatabase() : await createDatabase(OTHER ?? '')
    onTestFinished(() => dropDatabase(url))
    return url
  },
  async open(url: string) {
    const store = await openPostgresStore(url, LIMITS)
    onTestFinished(() => store.close())
    return store
  },
}

storeSuite('PostgreSQL', driver)
