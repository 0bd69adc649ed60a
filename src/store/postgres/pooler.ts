import { AppError } from '../../errors.ts'
import type { Query } from './reads.ts'
import { LIMITS } from './session.ts'

/** Checks settings that only the role can have behind a pooler: limits for single statements, and the schema. */
export async function checkPooler(
  query: Query,
  { statementMs, options }: { statementMs: number; options: string },
): Promise<string[]> {
  const [[alterRole, searchPath] = ['', '']] = (await query(
    `select format('alter role %I in database %I set', session_user, current_database()), current_setting('search_path')`,
  )) as [string, string][]
  const asked = searchPathIn(options)
  if (asked !== undefined && asked !== searchPath) {
    throw new AppError(
      'storage_failed',
      `The pooler in front of the database ignores \`options\` in its address, and with them the schema. Remove them, and set the schema for the role: ${alterRole} search_path = ${asked}`,
    )
  }
  const rows = await query(`select name from pg_settings where name = any ($1) and reset_val = '0'`, [LIMITS])
  if (rows.length === 0) return []
  const missing = rows.flat().join(' and no ')
  const mended = rows.map(([name]) => `${alterRole} ${name} = '${statementMs}ms'`).join('; ')
  return [
    `A pooler is in front of the database, and its role has no ${missing}: a single statement that takes too long continues although no client waits for it. Set it for the role, and let the pooler connect again: ${mended}`,
  ]
}

/** Parses like the server: a backslash escapes a space, and the last value counts. */
function searchPathIn(options: string): string | undefined {
  const [, value] = [...options.matchAll(/(?:-c\s*|--)search_path=((?:\\.|[^\\\s])+)/g)].at(-1) ?? []
  return value?.replaceAll(/\\(.)/g, '$1')
}
