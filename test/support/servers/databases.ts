import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestService } from '../http/service.ts'
import { KEYS } from './keys.ts'
import { asAdmin } from './postgres.ts'
import type { useDatabases } from './use-servers.ts'

/** The environment of a service with its pictures in a folder: both engines by name; each call creates a new database. */
export function bothDatabases(
  postgres: ReturnType<typeof useDatabases>,
): [string, () => Promise<Record<string, string>>][] {
  return [
    ['SQLite', async () => ({})],
    ['PostgreSQL', async () => ({ DATABASE_URL: await postgres.newDatabase(), ...KEYS })],
  ]
}

/** Runs statements past the store. */
export async function runSql(
  { dataDir, databaseUrl }: Pick<TestService, 'dataDir' | 'databaseUrl'>,
  statements: string,
): Promise<void> {
  if (databaseUrl) return void (await asAdmin(databaseUrl, statements))
  const database = new DatabaseSync(join(dataDir, 'proofsheet.db'), { timeout: 5_000 })
  database.exec(statements)
  database.close()
}
